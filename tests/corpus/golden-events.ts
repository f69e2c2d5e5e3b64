/**
 * Golden files: for each event and each of its versions the JSON Schema of its data, and two examples, one without and one with all optional
 * fields. `npm run golden-events` writes the files that are missing. It never changes one: a version that was written stays as it was.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { z } from 'zod'
import { eventSchemas } from '../../domain/catalogue.ts'
import { newestVersion } from '../../domain/upcasters/index.ts'

export interface GoldenFile {
  schema: unknown
  examples: unknown[]
}

interface JsonSchema {
  type?: string | string[]
  enum?: unknown[]
  const?: unknown
  anyOf?: JsonSchema[]
  items?: JsonSchema
  format?: string
  pattern?: string
  minItems?: number
  properties?: Record<string, JsonSchema>
  required?: string[]
}

const FOLDER = new URL('events/', import.meta.url)
const fileOf = (type: string, version: number): URL => new URL(`${type}.v${version}.json`, FOLDER)

/** The JSON Schema of an event's data. The pattern of a known format is left out: it is the validator's, and changes with its release. */
export const schemaOf = (event: z.ZodObject): unknown => {
  const { $schema: _, ...schema } = z.toJSONSchema(event, {
    override: ({ jsonSchema }) => {
      if (jsonSchema.format !== undefined) delete jsonSchema.pattern
    },
  })
  return schema
}

const STRINGS: Record<string, string> = {
  'date-time': '2026-01-01T00:00:00.000Z',
  uuid: '6f1d2e3f-0000-4b0c-8f5e-0f6f9a8f7b33',
  uri: 'https://shop.example/hook',
  email: 'owner@shop.example',
}

/** @param isFull  with optional fields, and values rather than null */
const exampleOf = (schema: JsonSchema, isFull: boolean): unknown => {
  if (schema.const !== undefined) return schema.const
  if (schema.enum) return schema.enum.at(isFull ? -1 : 0)
  if (schema.anyOf) {
    const isNull = ({ type }: JsonSchema) => type === 'null'
    return exampleOf(schema.anyOf.find((one) => isNull(one) !== isFull) ?? schema.anyOf[0]!, isFull)
  }
  if (schema.properties) {
    const { required = [], properties } = schema
    const names = Object.keys(properties).filter((name) => isFull || required.includes(name))
    return Object.fromEntries(names.map((name) => [name, exampleOf(properties[name]!, isFull)]))
  }
  if (schema.type === 'array') return isFull || schema.minItems ? [exampleOf(schema.items ?? {}, isFull)] : []
  if (schema.type === 'integer' || schema.type === 'number') return 1
  if (schema.type === 'boolean') return isFull
  if (schema.type === 'null') return null
  if (schema.type === 'object') return {}
  if (schema.format && STRINGS[schema.format]) return STRINGS[schema.format]
  return schema.pattern?.includes('\\.\\d{2}') ? '500000.00' : 'text'
}

export const goldenFile = (type: string, version: number): GoldenFile | null => {
  const file = fileOf(type, version)
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as GoldenFile) : null
}

/** Names of all golden files, as `Type.v1`. */
export const goldenNames = (): string[] => readdirSync(FOLDER).map((name) => name.replace(/\.json$/, ''))

if (process.argv[1]?.endsWith('golden-events.ts'))
  for (const [type, event] of eventSchemas) {
    const version = newestVersion(type)
    if (goldenFile(type, version)) continue
    const schema = schemaOf(event)
    const examples = [false, true].map((isFull) => event.parse(exampleOf(schema as JsonSchema, isFull)))
    writeFileSync(fileOf(type, version), `${JSON.stringify({ schema, examples }, null, 2)}\n`)
    console.log(`${type}.v${version}`)
  }
