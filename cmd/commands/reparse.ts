// Tests: tests/integration/reparse-command.test.ts
/** `baoco reparse`: reads unparsed notifications again after a reader update. It can run while `serve` runs. */
import type { Command } from 'commander'
import { planAccountOf } from '../../domain/plan-order/plan-order.ts'
import { openCapture } from '../../workflows/capture/capture.ts'
import { reparse } from '../../workflows/capture/reparse.ts'
import { stopSignal } from '../process/stop-signal.ts'
import { withAccounts } from '../command-parts/with-accounts.ts'

export const reparseCommand = (program: Command): void => {
  program
    .command('reparse')
    .description('parse unparsed notifications again, after a reader update')
    .action(() => {
      const signal = stopSignal()
      return withAccounts(async ({ settings, store, ids, clock }) => {
        const maxAgeMs = settings.reparseMaxAge * 1_000
        const capture = openCapture({ store, ids, clock, plans: planAccountOf(settings), oldAfterMs: maxAgeMs })
        const parts = { store, capture, clock, maxAgeMs }
        const { captured, ignored, unparsed } = await reparse(parts, signal)
        const counts = `${captured} became transactions, ${ignored} are ignored now, ${unparsed} are still unparsed`
        console.log(`${counts}${signal.aborted ? ', then stopped: run it again for the rest' : ''}`)
        if (signal.aborted) process.exitCode = 1
      })
    })
}
