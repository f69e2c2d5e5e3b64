// Tests: tests/integration/capture/contention.test.ts
/** The streams that a draft misses. */
import { planOrderStream } from '../../domain/plan-order/events.ts'
import { transactionStream } from '../../domain/transaction/events.ts'
import type { Draft } from './draft.ts'

/** A stream that must be read before the draft can be made. */
export interface Missing {
  kind: 'transaction' | 'order'
  id: number
  stream: string
}

export const missingOf = ({ missing, missingOrders }: Draft): Missing[] => [
  ...[...missing].map((id): Missing => ({ kind: 'transaction', id, stream: transactionStream(id) })),
  ...[...missingOrders].map((id): Missing => ({ kind: 'order', id, stream: planOrderStream(id) })),
]
