// Tests: tests/integration/openapi/guards.test.ts
/** Successful responses of an operation: their schema, and how the handler's value becomes the response. */
import type { Readable } from 'node:stream'
import { z } from 'zod'
import type { Answer } from './operation.ts'

const JSON_TYPE = 'application/json'

const done = <Schema extends z.ZodType>(schema: Schema) => z.strictObject({ success: z.literal(true), data: schema })

// The functions set `context.response.body`, because the setter `context.body` is several times slower.

const json = (status: number, description: string, schema: z.ZodType) => [
  { status, description, mediaType: JSON_TYPE, schema },
]

/** `{success, data}`. */
export const data = <Schema extends z.ZodType>(schema: Schema): Answer<z.output<Schema>> => ({
  write: (context, value) => {
    context.response.body = { success: true, data: value }
  },
  answers: json(200, 'Done.', done(schema)),
})

/** 201 `{success, data}`. */
export const created = <Schema extends z.ZodType>(schema: Schema): Answer<z.output<Schema>> => ({
  write: (context, value) => {
    context.status = 201
    context.response.body = { success: true, data: value }
  },
  answers: json(201, 'Created.', done(schema)),
})

/** 201 `{success, data, message}`. The handler returns data and message. */
export const createdAndSaid = <Schema extends z.ZodType>(
  schema: Schema,
): Answer<{ data: z.output<Schema>; message: string }> => ({
  write: (context, value) => {
    context.status = 201
    context.response.body = { success: true, ...value }
  },
  answers: json(201, 'Created.', done(schema).extend({ message: z.string() })),
})

/** `{success, message}`: the handler returns one plain sentence. */
export const message: Answer<string> = {
  write: (context, value) => {
    context.response.body = { success: true, message: value }
  },
  answers: json(
    200,
    'Done.',
    z.strictObject({ success: z.literal(true), message: z.string() }).meta({ id: 'Message' }),
  ),
}

/**
 * The handler's value without an envelope, for a flat response.
 * @param statuses  by default only 200; otherwise the handler chooses one by setting `context.status`
 */
export const whole = <Schema extends z.ZodType>(
  schema: Schema,
  statuses: readonly number[] = [200],
): Answer<z.output<Schema>> => ({
  write: (context, value) => {
    context.response.body = value
  },
  answers: statuses.flatMap((status) => json(status, 'Done.', schema)),
})

/** A response that is not JSON: a text or a stream. */
export const text = <Value>(mediaType: string, description: string): Answer<Value> => ({
  write: (context, value) => {
    context.type = mediaType
    context.response.body = value
  },
  answers: [{ status: 200, description, mediaType, schema: null }],
})

/** A file of one of several media types, written while it is sent. If that fails, the connection is cut off. */
export const download = (
  mediaTypes: readonly string[],
  description: string,
): Answer<{ type: string; filename: string; body: Readable }> => ({
  write: (context, { type, filename, body }) => {
    context.type = type
    context.attachment(filename)
    context.body = body
    body.once('error', () => context.res.destroy())
  },
  answers: mediaTypes.map((mediaType) => ({ status: 200, description, mediaType, schema: null })),
})
