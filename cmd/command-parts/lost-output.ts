// Tests: tests/integration/account-commands.test.ts
/** Notices that standard output cannot be written, for commands whose output counts. */
import { setImmediate as nextTurn } from 'node:timers/promises'

/** The first error of standard output. The stream itself forgets it. */
let lost: NodeJS.ErrnoException | undefined

/** Whether standard output failed with this error. */
export const isOfOutput = (error: unknown): boolean => lost !== undefined && error === lost

export const notWritten = ({ message }: Error): Error => new Error(`the output could not be written: ${message}`)

/**
 * Prints a secret before it replaces an older one, so a full disk or a closed pipe costs nobody the old one.
 * @throws if the line could not be written
 */
export const printFirst = (line: string): Promise<void> =>
  new Promise((resolve, reject) => {
    process.stdout.write(`${line}\n`, (error) => (error ? reject(notWritten(error)) : resolve()))
  })

/** @throws if what the work printed was lost, such as a new key on a full disk. A reader that closes its pipe wants no more. */
export const refusingLostOutput = async <Result>(work: () => Promise<Result>): Promise<Result> => {
  const onError = (error: NodeJS.ErrnoException) => (lost ??= error)
  process.stdout.on('error', onError)
  try {
    const result = await work()
    // A stream reports its failure after the promises that are resolved already.
    await nextTurn()
    if (lost && lost.code !== 'EPIPE') throw notWritten(lost)
    return result
  } finally {
    process.stdout.off('error', onError)
    lost = undefined
  }
}
