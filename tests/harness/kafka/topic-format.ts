/** Checks messages against the schemas of `docs/asyncapi.yaml`, as a consumer may. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv, type ValidateFunction } from 'ajv'
import { default as addFormats } from 'ajv-formats'
import { parse } from 'yaml'

export interface AsyncApi {
  components: {
    schemas: Record<string, object>
    messages: Record<string, { examples: { headers: Record<string, string>; payload: Record<string, unknown> }[] }>
  }
}

export const asyncApiFile = (): string => readFileSync(join(process.cwd(), 'docs/asyncapi.yaml'), 'utf8')
export const asyncApiInFile = (): AsyncApi => parse(asyncApiFile()) as AsyncApi

const ajv = new Ajv({ allErrors: true })
addFormats.default(ajv)
const validators = new Map<string, ValidateFunction>()

/** @returns what is wrong with a message; empty if it matches the document */
export const faultsOf = (headers: Record<string, string>, payload: unknown): string[] => {
  if (validators.size === 0)
    for (const [name, schema] of Object.entries(asyncApiInFile().components.schemas))
      validators.set(name, ajv.compile(schema))
  const check = (name: string, data: unknown): string[] => {
    const isValid = validators.get(name)
    if (!isValid) return [`no schema of ${name}`]
    return isValid(data)
      ? []
      : (isValid.errors ?? []).map(({ instancePath, message }) => `${name}${instancePath} ${message}`)
  }
  return [...check('Headers', headers), ...check(String(headers.ce_type), payload)]
}
