/** The API's sentence about a problem in the language of the page. A sentence that is not known stays as it is. */

/** @param problems  patterns of the API's sentences, each with its text */
export const problemText = (
  problems: readonly (readonly [pattern: RegExp, text: string])[],
  message: string,
): string => {
  const found = problems.find(([pattern]) => pattern.test(message))
  return found ? message.replace(...found).trim() : message
}
