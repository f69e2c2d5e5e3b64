// Tests: tests/unit/adapters/system/new-file.test.ts, tests/integration/backup.test.ts
/** A file that a command writes: it has its name only when it is complete, and nothing is left of it otherwise. */
import * as fs from 'node:fs'
import { hostname } from 'node:os'
import { basename, dirname, join } from 'node:path'
import type { Writable } from 'node:stream'
import { orAborted } from '../../workflows/support/abort.ts'
import { syncFolder } from './private-file.ts'

/** The name of a file while the process writes it. A process id means something only on its own machine. */
export const draftOf = (file: string, pid: number, machine = hostname()): string =>
  `${file}.${machine.replace(/[^\w.-]/g, '_')}.${pid}.part`

const refuseExisting = (file: string): void => {
  if (!fs.existsSync(dirname(file))) throw new Error(`the folder ${dirname(file)} does not exist`)
  if (fs.existsSync(file)) throw new Error(`${file} already exists: name a new file`)
}

const isRunning = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
  }
}

/** Removes the drafts of this file that killed commands have left on this machine. One of another user may stay. */
const removeLeftovers = (file: string): void => {
  try {
    for (const name of fs.readdirSync(dirname(file))) {
      const pid = Number(/\.(\d+)\.part$/.exec(name)?.[1])
      if (name !== basename(draftOf(file, pid)) || (pid !== process.pid && isRunning(pid))) continue
      fs.rmSync(join(dirname(file), name), { force: true })
    }
  } catch {
    // The folder may not be readable, only writable.
  }
}

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
  refuseExisting(file)
  removeLeftovers(file)
  const draft = draftOf(file, process.pid)
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
    // Another command may have written it meanwhile.
    refuseExisting(file)
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
