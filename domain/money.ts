// Tests: tests/unit/domain/reader/printed-money.test.ts
/**
 * Exact numbers with two decimals. They are strings everywhere (`"150000.00"`), never floats.
 * Arithmetic uses hundredths in a bigint.
 */
export type Money = string

/** `"150000.00"` → 15000000n. Accepts zero to two decimals. */
export const toMinor = (money: Money): bigint => {
  const [, sign, whole, fraction = ''] = /^(-?)(\d+)(?:\.(\d{1,2}))?$/.exec(money) ?? []
  if (whole === undefined) throw new RangeError(`not a decimal with at most two places: ${money}`)
  const minor = BigInt(whole + fraction.padEnd(2, '0'))
  return sign ? -minor : minor
}

/** 15000000n → `"150000.00"`. */
export const fromMinor = (minor: bigint): Money => {
  const digits = (minor < 0n ? -minor : minor).toString().padStart(3, '0')
  return `${minor < 0n ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`
}

/** Normal form: `"5"` → `"5.00"`. */
export const money = (text: string): Money => fromMinor(toMinor(text))

/** Whether a ≥ b. */
export const atLeast = (a: Money, b: Money): boolean => toMinor(a) >= toMinor(b)
