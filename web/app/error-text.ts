/** The meaning of an attempt's class of error. */

/** The problem, and the way to solve it. */
export type ErrorText = readonly [what: string, fix: string]

/** Answers of a proxy for a server that gave it no usable one. Those from 520 on are Cloudflare's. */
const GATEWAY = /^http_5(02|04|2\d|30)$/

/** @param texts  by class of error; `http_gateway`, `http_4xx`, `http_5xx` and `other` stand for those that have none of their own */
export const errorText = (texts: Readonly<Record<string, ErrorText>>, error: string | null): ErrorText => {
  const family = /^http_([45])\d\d$/.exec(error ?? '')?.[1]
  const gateway = GATEWAY.test(error ?? '') ? texts.http_gateway : undefined
  return texts[error ?? ''] ?? gateway ?? (family ? texts[`http_${family}xx`] : undefined) ?? texts.other!
}

/** The status of the answer, or the class of an error that has no text. Empty if the text says everything. */
export const errorCode = (texts: Readonly<Record<string, ErrorText>>, error: string): string =>
  /^http_\d+$/.test(error) ? error.replace('http_', 'HTTP ') : texts[error] ? '' : error
