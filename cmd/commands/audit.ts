// Tests: tests/integration/looking-commands.test.ts
/** `baoco audit`: checks the stored events for errors. */
import type { Command } from 'commander'
import { systemClock as clock } from '../../adapters/system/clock.ts'
import { auditStore } from '../../workflows/audit.ts'
import { withStore } from '../process/with-store.ts'

export const audit = (program: Command): void => {
  program
    .command('audit')
    .description(
      'check every event, transaction and delivery; print one line per error, and exit with 1 if there is any',
    )
    .action(() =>
      withStore(async ({ store }) => {
        let faults = 0
        const { events, transactions } = await auditStore(store, clock.now(), (fault) => {
          faults++
          console.log(fault)
        })
        console.log(
          `${events} events, ${transactions} transactions: ${faults === 0 ? 'all as it must be' : `${faults} faults`}`,
        )
        if (faults > 0) process.exitCode = 1
      }),
    )
}
