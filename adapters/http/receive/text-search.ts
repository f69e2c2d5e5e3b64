/**
 * Finds the first occurrence of one text in another, in time linear in both (Knuth, Morris and Pratt). `String.indexOf` can take time
 * proportional to the product of the two lengths, and both texts are untrusted.
 * @returns the index of the occurrence; -1 if there is none
 */
export const indexIn = (whole: string, part: string): number => {
  if (part.length > whole.length) return -1
  if (whole.startsWith(part)) return 0
  // For each prefix of the part: the length of its longest proper prefix that is also its suffix.
  const falls = new Uint32Array(part.length)
  for (let index = 1, length = 0; index < part.length; index++) {
    while (length > 0 && part.charCodeAt(index) !== part.charCodeAt(length)) length = falls[length - 1]!
    if (part.charCodeAt(index) === part.charCodeAt(length)) length++
    falls[index] = length
  }
  for (let index = 0, length = 0; index < whole.length; index++) {
    while (length > 0 && whole.charCodeAt(index) !== part.charCodeAt(length)) length = falls[length - 1]!
    if (whole.charCodeAt(index) === part.charCodeAt(length)) length++
    if (length === part.length) return index + 1 - part.length
  }
  return -1
}

/** Whether one text contains another. */
export const contains = (whole: string, part: string): boolean => indexIn(whole, part) >= 0

/** Whether the texts are nested: of any two, one contains the other. It is enough to check each against the next longer one. */
export const isChain = (texts: readonly string[]): boolean => {
  const byLength = [...new Set(texts)].toSorted((one, other) => one.length - other.length)
  return byLength.every((text, index) => index === 0 || contains(text, byLength[index - 1]!))
}
