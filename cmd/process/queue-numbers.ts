// Tests: tests/integration/roles/attached.test.ts
import { deliveryNumbers, type DeliveryNumbers } from '../../adapters/postgres/delivery-queue/numbers.ts'
import { unseenDeliveries } from '../../projections/delivery/unseen-queries.ts'
import type { Installation } from './installation.ts'

/** The state of the queue, including the deliveries that are not in it yet. */
export const queueNumbers =
  ({ database, store, clock }: Installation) =>
  async (): Promise<DeliveryNumbers> => {
    const numbers = await deliveryNumbers(database)
    return { ...numbers, overdue: numbers.overdue + (await unseenDeliveries(database, store, clock.now())) }
  }
