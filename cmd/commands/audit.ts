// Tests: tests/integration/looking-commands.test.ts
/** `baoco audit`: checks the stored events for errors. */
import type { Command } from 'commander'
import type { Database } from '../../adapters/database/database.ts'
import { keepAudit, keptAudit, type KeptAudit } from '../../adapters/postgres/ops/last-audit.ts'
import { systemClock as clock } from '../../adapters/system/clock.ts'
import { REFUSED } from '../../domain/parked/events.ts'
import type { Checkpoint, EventStore } from '../../domain/ports.ts'
import { projectors } from '../../projections/all.ts'
import { parkedStreams } from '../../projections/parked/queries.ts'
import { auditStore, continuedFrom } from '../../workflows/audit/audit.ts'
import { withStore } from '../command-parts/with-store.ts'
import { counted } from '../command-parts/counted.ts'

export const audit = (program: Command): void => {
  program
    .command('audit')
    .description(
      'check every event, transaction and delivery; print one line per error or parked stream, and exit with 1 if there is any',
    )
    .option('--since-last', 'check only what was stored since the last audit ended; everything if there was none')
    .action(({ sinceLast = false }: { sinceLast?: boolean }) =>
      withStore(async ({ store, database, settings }) => {
        const last = sinceLast ? await continued(store, database) : null
        let faults = 0
        const found = (fault: string): void => {
          faults++
          console.log(fault)
        }
        const { events, transactions, end } = await auditStore(store, clock.now(), found, last?.after)
        const earlier = last?.event_faults ?? 0
        const event_faults = earlier + faults
        for (const definition of projectors(settings))
          for (const { stream, revision, reason } of await parkedStreams(database, definition))
            if (reason === REFUSED) found(`${stream}@${revision}: parked in the read models ${definition.projector}`)
        const scope = `${counted(events, 'event')}, ${counted(transactions, 'transaction')}${last ? ` since ${last.ended_at}` : ''}`
        console.log(`${scope}: ${faults === 0 ? 'no faults' : counted(faults, 'fault')}`)
        if (earlier > 0)
          console.log(
            `audits before it found ${counted(earlier, 'fault')}; baoco audit without --since-last looks for them again`,
          )
        const ended_at = clock.now().toISOString()
        // The operator's page shows it.
        await keepAudit(database, {
          ended_at,
          events,
          transactions,
          faults: faults + earlier,
          whole_at: last?.whole_at ?? ended_at,
          event_faults,
          position: end ?? last?.position ?? null,
        })
        if (faults + earlier > 0) process.exitCode = 1
      }),
    )
}

/** The last audit, if it can be continued. @returns null, and says so, if everything must be checked */
const continued = async (
  store: EventStore,
  database: Database,
): Promise<(KeptAudit & { after: Checkpoint }) | null> => {
  const last = await keptAudit(database)
  const after = last?.position ? await continuedFrom(store, last.position) : null
  if (last && after !== null) return { ...last, after }
  console.log(
    last?.position
      ? 'the store does not contain the position of the last audit: everything is checked'
      : 'there is no earlier audit to continue: everything is checked',
  )
  return null
}
