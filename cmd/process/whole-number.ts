// Tests: tests/integration/baoco-command.test.ts
/** Parses command-line arguments that are ids. */
import { InvalidArgumentError } from 'commander'

/** @throws {InvalidArgumentError} reported as wrong usage */
export const positiveInt = (text: string): number => {
  if (!/^[1-9]\d{0,14}$/.test(text)) throw new InvalidArgumentError('not a positive whole number')
  return Number(text)
}
