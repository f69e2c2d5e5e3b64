// Tests: tests/integration/looking-commands.test.ts
/** `baoco audit`: checks the stored events for errors. */
import type { Command } from 'commander'
import { keepAudit } from '../../adapters/postgres/ops/last-audit.ts'
import { systemClock as clock } from '../../adapters/system/clock.ts'
import { REFUSED } from '../../domain/parked/events.ts'
import { projectors } from '../../projections/all.ts'
import { parkedStreams } from '../../projections/parked/queries.ts'
import { auditStore } from '../../workflows/audit.ts'
import { withStore } from '../process/with-store.ts'

export const audit = (program: Command): void => {
  program
    .command('audit')
    .description(
      'check every event, transaction and delivery; print one line per error or parked stream, and exit with 1 if there is any',
    )
    .action(() =>
      withStore(async ({ store, database, settings }) => {
        let faults = 0
        const found = (fault: string): void => {
          faults++
          console.log(fault)
        }
        const { events, transactions } = await auditStore(store, clock.now(), found)
        for (const definition of projectors(settings))
          for (const { stream, revision, reason } of await parkedStreams(database, definition))
            if (reason === REFUSED) found(`${stream}@${revision}: parked in the read models ${definition.projector}`)
        console.log(
          `${events} events, ${transactions} transactions: ${faults === 0 ? 'all as it must be' : `${faults} faults`}`,
        )
        // The operator's page shows it.
        await keepAudit(database, { ended_at: clock.now().toISOString(), events, transactions, faults })
        if (faults > 0) process.exitCode = 1
      }),
    )
}
