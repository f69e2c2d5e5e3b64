/**
 * Secrets in responses. A schema marks them with `secret(…)`. In a response to a scoped key they are null (decisions, "Scoped keys").
 * A URL that may contain a secret is marked with `targetUrl()`. The fields to mask are found once per operation, in its response schema,
 * so no handler can forget them.
 */
import { z } from 'zod'
import { withoutTokens } from '../../../domain/account/tokens.ts'

const marked = new WeakMap<z.ZodType, Mask>()

/** The description of a secret that the vault keeps. */
export const SEALED = 'null if the key that sealed it is not in VAULT_KEY;'

/** A secret of the account: null in responses to scoped keys. */
export const secret = <Schema extends z.ZodType>(schema: Schema, description = ''): z.ZodNullable<Schema> => {
  const nullable = schema
    .nullable()
    .meta({ description: `${description} null in the response to a scoped key.`.trim() })
  marked.set(nullable, () => null)
  return nullable
}

/** The URL without the token of an inbox. Any other URL is unchanged. */
const withoutInboxToken = (url: string): string => withoutTokens('inbox', url)

/** A URL that Baoco calls. Responses to scoped keys have it without the token of an inbox. */
export const targetUrl = (): z.ZodString => {
  const url = z.string().meta({ description: 'If it is the URL of an inbox, a scoped key sees it without its token.' })
  marked.set(url, (value) => (typeof value === 'string' ? withoutInboxToken(value) : value))
  return url
}

/**
 * A URL that a PUT sends.
 * @returns the kept URL if a scoped key sends it back as it was shown
 */
export const urlSent = <Url extends string | null | undefined>(given: Url, kept: Url): Url =>
  given && kept && given === withoutInboxToken(kept) ? kept : given

/** Returns a copy without secrets. */
export type Mask = (value: unknown) => unknown

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The schemas one level inside a schema that is neither an object nor an array. */
const within = (schema: z.ZodType): z.ZodType[] => {
  if (schema instanceof z.ZodUnion) return schema.options as z.ZodType[]
  if (schema instanceof z.ZodIntersection) return [schema.def.left as z.ZodType, schema.def.right as z.ZodType]
  const { innerType, in: from, out: to } = schema.def as { innerType?: unknown; in?: unknown; out?: unknown }
  return [innerType, from, to].filter((inner): inner is z.ZodType => inner instanceof z.ZodType)
}

/** @returns null if the schema contains no secret */
export const maskOf = (schema: z.ZodType): Mask | null => {
  const own = marked.get(schema)
  if (own) return own
  if (schema instanceof z.ZodArray) {
    const item = maskOf(schema.element as z.ZodType)
    return item && ((value) => (Array.isArray(value) ? value.map(item) : value))
  }
  if (schema instanceof z.ZodObject) {
    const fields = Object.entries(schema.shape as Record<string, z.ZodType>).flatMap(
      ([name, field]): [string, Mask][] => {
        const mask = maskOf(field)
        return mask ? [[name, mask]] : []
      },
    )
    if (fields.length === 0) return null
    return (value) => {
      if (!isObject(value)) return value
      const masked = { ...value }
      for (const [name, mask] of fields) if (name in masked) masked[name] = mask(masked[name])
      return masked
    }
  }
  const masks = within(schema).flatMap((inner) => maskOf(inner) ?? [])
  return masks.length === 0 ? null : (value) => masks.reduce((masked, mask) => mask(masked), value)
}
