/** The API's sentence about a problem in the language of the page. A sentence that is not known stays as it is. */

/** Behind the reason why a mailbox cannot be read, the API says what has become of it. */
const AND_SO = / (?=The mailbox is paused\.)/

/** @param problems  patterns of the API's sentences, each with its text */
export const problemText = (
  problems: readonly (readonly [pattern: RegExp, text: string])[],
  message: string,
): string => {
  const textOf = (sentence: string): string => {
    const found = problems.find(([pattern]) => pattern.test(sentence))
    return found ? sentence.replace(...found).trim() : sentence
  }
  return message.split(AND_SO).map(textOf).join(' ')
}
