/** The meaning of an attempt's class of error. */

/** The problem, and the way to solve it. */
export type ErrorText = readonly [what: string, fix: string]

/** @param texts  by class of error; `http_4xx`, `http_5xx` and `other` stand for those that have none of their own */
export const errorText = (texts: Readonly<Record<string, ErrorText>>, error: string | null): ErrorText => {
  const family = /^http_([45])\d\d$/.exec(error ?? '')?.[1]
  return texts[error ?? ''] ?? (family ? texts[`http_${family}xx`] : undefined) ?? texts.other!
}

/** The status of the answer, or the class of an error that has no text. Empty if the text says everything. */
export const errorCode = (texts: Readonly<Record<string, ErrorText>>, error: string): string =>
  /^http_\d+$/.test(error) ? error.replace('http_', 'HTTP ') : texts[error] ? '' : error
