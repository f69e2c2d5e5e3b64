/**
 * A process that consumes until it is killed.
 *
 * consuming-child.ts <module with openLog> <its argument> <group>
 *
 * It sends every entry to its parent process while it handles it.
 */
import type { Log } from '../../../domain/ports.ts'

const [, , module, argument, group] = process.argv
const { openLog } = (await import(module!)) as { openLog: (argument: string) => Promise<Log> }
const log = await openLog(argument!)
await log.consume(
  group!,
  async (entries) => {
    for (const entry of entries)
      await new Promise<void>((resolve, reject) =>
        process.send!(entry, (error: Error | null) => (error ? reject(error) : resolve())),
      )
  },
  new AbortController().signal,
)
