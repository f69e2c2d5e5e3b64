// Tests: tests/integration/openapi/guards.test.ts
/** Inputs of an operation. Each is read, validated against its schema and passed to the handler with its type. */
import { z } from 'zod'
import { messageOf, type Issue } from '../../../domain/account/refusals.ts'
import { Refused } from '../../../domain/errors.ts'
import type { ErrorCode } from '../middleware/errors.ts'
import { sentenceOf } from './issue-sentence.ts'
import type { Input } from './operation.ts'
import { queryOf } from '../middleware/query-string.ts'
import { readJson } from '../middleware/json-body.ts'

const failed = (issues: readonly Issue[]): Refused => new Refused('VALIDATION_FAILED', messageOf(issues), { issues })

/** Most issues in one response (decisions, "Sizes"). */
const MOST_ISSUES = 20
/** Most characters of an issue's path, which contains names that the caller chose, and of its message. */
const LONGEST_PATH = 100
const LONGEST_MESSAGE = 300

const pathOf = (keys: readonly PropertyKey[]): string => keys.map(String).join('.').slice(0, LONGEST_PATH)

/** Reports each unknown field as a separate issue with its own path. Lists the first 20 issues. */
const issuesOf = ({ issues }: z.ZodError): Issue[] =>
  issues
    .slice(0, MOST_ISSUES)
    .flatMap((issue) =>
      issue.code === 'unrecognized_keys'
        ? issue.keys
            .slice(0, MOST_ISSUES)
            .map((key) => ({ path: pathOf([...issue.path, key]), message: 'Unknown field.' }))
        : [{ path: pathOf(issue.path), message: sentenceOf(issue).slice(0, LONGEST_MESSAGE) }],
    )
    .slice(0, MOST_ISSUES)

const checked = <Input>(schema: z.ZodType<Input>, value: unknown): Input => {
  const parsed = schema.safeParse(value)
  if (!parsed.success) throw failed(issuesOf(parsed.error))
  return parsed.data
}

const BODY_REFUSALS: readonly ErrorCode[] = [
  'VALIDATION_FAILED',
  'PAYLOAD_TOO_LARGE',
  'UNSUPPORTED_MEDIA_TYPE',
  'OVERLOADED',
]

/** A JSON body. */
export const body = <Value>(schema: z.ZodType<Value>): Input<Value> => ({
  read: async (context) => {
    const value = await readJson(context)
    if (value === undefined) throw failed([{ path: '', message: 'The body must be a JSON object.' }])
    return checked(schema, value)
  },
  body: { schema, required: true },
  refuses: BODY_REFUSALS,
})

/** A JSON body that may be omitted. Then the handler receives undefined. */
export const optionalBody = <Value>(schema: z.ZodType<Value>): Input<Value | undefined> => ({
  read: async (context) => {
    const value = await readJson(context)
    return value === undefined ? undefined : checked(schema, value)
  },
  body: { schema, required: false },
  refuses: BODY_REFUSALS,
})

/** For calls without a body. An empty body and `{}` are accepted. */
export const noBody: Input<unknown> = optionalBody(z.strictObject({}, { error: 'This call takes no body.' }))

/** The query parameters that the schema names. Other parameters are ignored. A parameter that is given twice is refused. */
export const query = <Schema extends z.ZodObject>(schema: Schema): Input<z.output<Schema>> => ({
  read: (context) => {
    const parameters = queryOf(context)
    const given: Record<string, unknown> = {}
    const issues: Issue[] = []
    for (const name of Object.keys(schema.shape)) {
      const value = parameters[name]
      if (Array.isArray(value)) issues.push({ path: name, message: 'Send this parameter only once.' })
      else if (value !== undefined) given[name] = value
    }
    if (issues.length > 0) throw failed(issues)
    return checked<z.output<Schema>>(schema as unknown as z.ZodType<z.output<Schema>>, given)
  },
  query: schema,
  refuses: ['VALIDATION_FAILED'],
})

/** A call without a body that has query parameters. */
export const noBodyButQuery = <Schema extends z.ZodObject>(schema: Schema): Input<z.output<Schema>> => {
  const parameters = query(schema)
  return {
    read: async (context) => {
      await noBody.read(context)
      return parameters.read(context)
    },
    query: schema,
    body: noBody.body!,
    refuses: BODY_REFUSALS,
  }
}
