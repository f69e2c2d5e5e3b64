// Tests: tests/integration/backup.test.ts
/** A file that a command writes: it has its name only when it is complete, and nothing is left of it otherwise. */
import * as fs from 'node:fs'
import { dirname } from 'node:path'
import type { Writable } from 'node:stream'
import { orAborted } from '../../workflows/support/abort.ts'
import { syncFolder } from './private-file.ts'

/**
 * @param file  a name that no file has. The new file has mode 0600.
 * @param work  writes and ends the output; the draft is the path of the file until it is complete
 * @param signal  ends the work, whatever it does at that moment
 * @throws if the file exists, if it cannot be written, if the work fails or the signal aborts
 */
export const writeNewFile = async <Result>(
  file: string,
  work: (output: Writable, draft: string) => Promise<Result>,
  signal: AbortSignal,
): Promise<Result> => {
  if (fs.existsSync(file)) throw new Error(`${file} exists already: name a new file`)
  const draft = `${file}.${process.pid}.part`
  const handle = fs.openSync(draft, 'wx', 0o600)
  const output = fs.createWriteStream(draft, { fd: handle })
  // Errors also reach the work, which may not listen yet.
  output.on('error', () => {})
  try {
    const result = await orAborted(work(output, draft), signal)
    if (signal.aborted) throw new Error('interrupted')
    const written = fs.openSync(draft, 'r')
    fs.fsyncSync(written)
    fs.closeSync(written)
    fs.renameSync(draft, file)
    syncFolder(dirname(file))
    return result as Result
  } catch (error) {
    throw signal.aborted ? new Error(`${file} was not written: the command was interrupted`) : error
  } finally {
    output.destroy()
    fs.rmSync(draft, { force: true })
  }
}
