/** The values that a form sends: numbers as people write them, and only what was changed. */

const WHOLE = /^(?:\d{1,15}|\d{1,3}(?:[., ]\d{3}){1,4})$/

/**
 * A whole number. People write 150.000 in Vietnam, and 150,000 or 150 000 elsewhere; a field for numbers would take the first for 150.
 * @returns null if the text is empty, and the text itself if it is not a whole number: the API says what is wrong
 */
export const wholeNumber = (text: string): number | string | null => {
  const plain = text.replaceAll(/\s/g, ' ').trim()
  if (plain === '') return null
  return WHOLE.test(plain) ? Number(plain.replaceAll(/[., ]/g, '')) : plain
}

/**
 * Another tab, or the server itself, may have changed the rest meanwhile.
 * @param before  what the form showed first @returns the values that differ from it
 */
export const changedValues = <Values extends object>(before: Values, now: Values): Partial<Values> =>
  Object.fromEntries(
    Object.entries(now).filter(
      ([name, value]) => value !== undefined && JSON.stringify(value) !== JSON.stringify(before[name as keyof Values]),
    ),
  ) as Partial<Values>
