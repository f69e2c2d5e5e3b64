/** Generates `docs/events.md`, the catalogue of events, from their schemas: `npm run docs`. */
import { writeFileSync } from 'node:fs'
import { z } from 'zod'
import { streamKinds } from '../domain/catalogue.ts'

interface JsonSchema {
  type?: string | string[]
  enum?: unknown[]
  const?: unknown
  anyOf?: JsonSchema[]
  items?: JsonSchema
  format?: string
  properties?: Record<string, JsonSchema>
  required?: string[]
}

const typeOf = (schema: JsonSchema): string => {
  if (schema.anyOf) return schema.anyOf.map(typeOf).join(' or ')
  if (schema.enum) return schema.enum.map((value) => `\`${String(value)}\``).join(', ')
  if (schema.const !== undefined) return `\`${String(schema.const)}\``
  if (schema.type === 'array') return `list of ${typeOf(schema.items ?? {})}`
  if (schema.format === 'date-time') return 'time'
  return [schema.type ?? 'any'].flat().join(' or ')
}

const fieldsOf = (event: z.ZodObject): string => {
  const { properties = {}, required = [] } = z.toJSONSchema(event) as JsonSchema
  const rows = Object.entries(properties).map(
    ([name, schema]) => `| \`${name}\` | ${typeOf(schema)}${required.includes(name) ? '' : ', optional'} |`,
  )
  return ['| Field | Type |', '|---|---|', ...rows].join('\n')
}

export const eventsDocument = (): string =>
  [
    '# Events\n\nGenerated from the schemas in `domain/` by `npm run docs`. Do not edit.',
    ...streamKinds.map(({ stream, holds, kept, events }) =>
      [
        `## \`${stream}\`\n\nContains ${holds}. Kept: ${kept}.`,
        ...Object.entries(events).map(([type, schema]) => `### ${type}\n\n${fieldsOf(schema)}`),
      ].join('\n\n'),
    ),
  ].join('\n\n') + '\n'

if (process.argv[1]?.endsWith('generate-events.ts'))
  writeFileSync(new URL('events.md', import.meta.url), eventsDocument())
