// Tests: tests/unit/domain/reader/reader.test.ts
/** Account numbers as banks print them: `0011000415567`, `4240xxxx4584`, `••••7213`, `**** 7213`, `1903 3255 5511 11`, `001...1452`. */

const CHARACTER = '[0-9x*•#]'
const GROUPS = `${CHARACTER}{4}(?: ${CHARACTER}{4}){1,4}(?: ${CHARACTER}{1,3})?|[x*•#]{2,12} ${CHARACTER}{2,6}`
const PARTS = `${CHARACTER}{2,24}(?:[.-]{1,3}${CHARACTER}{1,24}){0,3}`

/** Works on the shadow. Groups of four come first, and no digit follows them. */
export const ACCOUNT_NUMBER = `(?:(?:${GROUPS})(?! ?[0-9x*•#]|[.,]\\d)|${PARTS})`
