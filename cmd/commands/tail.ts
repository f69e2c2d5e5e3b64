// Tests: tests/integration/looking-commands.test.ts
/** `baoco tail`: prints events as they are stored, one JSON line per event. */
import type { Command } from 'commander'
import { asStored, type StoredEvent } from '../../domain/parse-event.ts'
import { publicView } from '../../domain/transaction/public-view.ts'
import { stopSignal } from '../process/stop-signal.ts'
import { withStore } from '../command-parts/with-store.ts'

/** Omits personal data by default. Then events of streams other than transactions show only their type. */
const lineOf = (event: StoredEvent, withData: boolean): string => {
  const { stream, revision, id, type, data, metadata } = asStored(event)
  const { at, user_id } = metadata
  return JSON.stringify({ at, user_id, stream, revision, id, type, data: withData ? data : publicView({ type, data }) })
}

export const tail = (program: Command): void => {
  program
    .command('tail')
    .description('print new events until Ctrl-C, without personal data')
    .option('--all', 'start with the first event')
    .option('--personal-data', 'print complete events, including texts, hashes and sealed secrets')
    .action(({ all = false, personalData = false }: { all?: boolean; personalData?: boolean }) =>
      withStore(async ({ store }) => {
        const signal = stopSignal()
        process.stdout.on('error', ({ code, message }: NodeJS.ErrnoException) => {
          // The reader has closed the pipe.
          if (code === 'EPIPE') process.exit(0)
          console.error(`baoco: the output could not be written: ${message}`)
          process.exit(1)
        })
        const after = all ? null : await store.end()
        for await (const { events } of store.subscribe({ after, signal }))
          for (const event of events) console.log(lineOf(event, personalData))
      }),
    )
}
