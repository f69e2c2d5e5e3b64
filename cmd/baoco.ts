// Tests: tests/integration/baoco-command.test.ts
/** The `baoco` program. `program.ts` has its commands; this file defines how all of them exit. */
import './show-sources.ts'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { CommanderError } from 'commander'
import { withSources } from '../adapters/system/source-positions.ts'
import { notWritten } from './command-parts/lost-output.ts'
import { failureText } from './command-parts/failure-text.ts'
import { openProgram } from './program.ts'

/** Exit status: 0 done, 1 failed, 2 wrong usage. */
const FAILED = 1
const WRONG_USAGE = 2

const STILL_OPEN_MS = 5_000

const main = async (): Promise<void> => {
  // A reader that closes its pipe wants no more. Commands whose output counts notice other errors themselves (`lost-output.ts`).
  let lost: NodeJS.ErrnoException | undefined
  process.stdout.on('error', (error) => (lost ??= error))
  try {
    const program = await openProgram(process.argv[2])
    await program.parseAsync()
  } catch (error) {
    if (error instanceof CommanderError) {
      process.exitCode = error.exitCode === 0 ? 0 : WRONG_USAGE
      // A stream reports its failure after the promises that are resolved already.
      await nextTurn()
      if (error.exitCode !== 0 || !lost || lost.code === 'EPIPE') return
      console.error(`baoco: ${notWritten(lost).message}`)
      process.exitCode = FAILED
    } else {
      console.error(
        `baoco: ${process.env.LOG_LEVEL === 'debug' ? withSources(String((error as Error).stack)) : failureText(error)}`,
      )
      process.exitCode = FAILED
      // A failed process must end even if something was not closed. Otherwise nobody would restart it.
      setTimeout(() => process.exit(), STILL_OPEN_MS).unref()
    }
  }
}

void main()
