// Tests: tests/integration/looking-commands.test.ts
/** @param what  one of the things, such as `transaction` @returns such as `2 transactions` */
export const counted = (number: number, what: string): string => `${number} ${what}${number === 1 ? '' : 's'}`
