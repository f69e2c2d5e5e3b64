// Tests: tests/integration/looking-commands.test.ts
/** `baoco history`: prints the history of one transaction. */
import type { Command } from 'commander'
import { transactionStream } from '../../domain/transaction/events.ts'
import { historyOf } from '../../domain/transaction/history.ts'
import { positiveInt } from '../command-parts/whole-number.ts'
import { withStore } from '../command-parts/with-store.ts'

export const history = (program: Command): void => {
  program
    .command('history')
    .description('print the history of a transaction, one line per event, without personal data')
    .argument('<id>', 'transaction id', positiveInt)
    .action((id: number) =>
      withStore(async ({ store }) => {
        const [events = []] = await store.read([{ stream: transactionStream(id) }])
        if (events.length === 0) throw new Error(`no such transaction: ${id}`)
        for (const { at, text } of historyOf(events)) console.log(`${at}  ${text}`)
      }),
    )
}
