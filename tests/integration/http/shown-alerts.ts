/** Alerts as a watch raises and ends them, for tests that look again at once. */
import { openIds } from '../../../adapters/system/ids.ts'
import { openAlerts, type Alerts } from '../../../workflows/alerts/alerts.ts'
import type { ApiUnderTest } from './api-under-test.ts'

/** Each call returns when the read models show its change, because the next look reads them. */
export const shownAlerts = ({ store, clock, shown }: ApiUnderTest): Alerts => {
  const alerts = openAlerts({ store, clock, ids: openIds({ store, clock }) })
  const awaited =
    <A extends unknown[]>(change: (...of: A) => ReturnType<Alerts['raise']>) =>
    async (...of: A) => {
      const changed = await change(...of)
      if (changed.checkpoint !== null) await shown(changed.checkpoint)
      return changed
    }
  return { raise: awaited(alerts.raise), end: awaited(alerts.end) }
}
