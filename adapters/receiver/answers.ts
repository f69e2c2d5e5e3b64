// Tests: tests/integration/receiver/receiver.test.ts
/** Responses of the example shop, and its JSON bodies. */

export interface Answer {
  status: number
  body: object | string
  headers?: Record<string, string>
}

export const failed = (status: number, error: string): Answer => ({ status, body: { error } })

/** @returns null if the body is not a JSON object */
export const objectOf = (rawBody: Buffer): Record<string, unknown> | null => {
  try {
    const value: unknown = JSON.parse(rawBody.toString('utf8'))
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null
  } catch {
    return null
  }
}
