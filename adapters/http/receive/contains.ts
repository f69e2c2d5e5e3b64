/**
 * Whether one text contains another, in time linear in both (Knuth, Morris and Pratt). `String.includes` can take the product of the two
 * lengths, and both come from outside.
 */
export const contains = (whole: string, part: string): boolean => {
  if (part.length > whole.length) return false
  if (whole.startsWith(part)) return true
  // For each beginning of the part: length of the longest shorter beginning that it also ends with.
  const falls = new Uint32Array(part.length)
  for (let index = 1, length = 0; index < part.length; index++) {
    while (length > 0 && part.charCodeAt(index) !== part.charCodeAt(length)) length = falls[length - 1]!
    if (part.charCodeAt(index) === part.charCodeAt(length)) length++
    falls[index] = length
  }
  for (let index = 0, length = 0; index < whole.length; index++) {
    while (length > 0 && whole.charCodeAt(index) !== part.charCodeAt(length)) length = falls[length - 1]!
    if (whole.charCodeAt(index) === part.charCodeAt(length)) length++
    if (length === part.length) return true
  }
  return false
}

/** Whether of any two of these texts one contains the other: each is contained in the next longer one. */
export const isChain = (texts: readonly string[]): boolean => {
  const byLength = [...new Set(texts)].toSorted((one, other) => one.length - other.length)
  return byLength.every((text, index) => index === 0 || contains(text, byLength[index - 1]!))
}
