/**
 * A process that runs test files for `tests/run.mjs`, one after another: test-worker.ts <options of mocha as JSON> <the end of a file>.
 * After what mocha reports of a file it prints one line: the text that means the end of a file, and the counts.
 */
import Mocha from 'mocha'

const [options = '{}', endOfFile = ''] = process.argv.slice(2)

interface Counts {
  passes: number
  failures: number
  pending: number
}

const run = async (file: string): Promise<Counts> => {
  const mocha = new Mocha({ reporter: 'spec', ...(JSON.parse(options) as Mocha.MochaOptions) }).addFile(file)
  await mocha.loadFilesAsync()
  let runner: Mocha.Runner | undefined
  const failures = await new Promise<number>((resolve) => (runner = mocha.run(resolve)))
  // mocha leaves its listeners. They would report errors of the next file as failures of this one.
  for (const event of ['uncaughtException', 'unhandledRejection']) process.removeAllListeners(event)
  const { passes = 0, pending = 0 } = runner?.stats ?? {}
  return { passes, failures, pending }
}

process.on('message', (file: string) => {
  void run(file)
    .catch((error: unknown): Counts => {
      console.log(error)
      return { passes: 0, failures: 1, pending: 0 }
    })
    .then((counts) => console.log(endOfFile + JSON.stringify(counts)))
})
// The servers that this process has started end with it.
process.on('disconnect', () => process.exit())
