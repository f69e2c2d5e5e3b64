// Tests: tests/integration/baoco-command.test.ts
/** Parses command-line arguments that are ids or ports. */
import { InvalidArgumentError } from 'commander'

/** @throws {InvalidArgumentError} reported as wrong usage */
export const positiveInt = (text: string): number => {
  if (!/^[1-9]\d{0,14}$/.test(text)) throw new InvalidArgumentError('expected a positive whole number')
  return Number(text)
}

/** @throws {InvalidArgumentError} reported as wrong usage */
export const portNumber = (text: string): number => {
  const port = positiveInt(text)
  if (port > 65_535) throw new InvalidArgumentError('a port is 1 to 65535')
  return port
}
