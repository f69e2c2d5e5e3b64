/** An event of about half a kilobyte, as most are. */
import { randomUUID } from 'node:crypto'
import type { NewEvent } from '../../domain/event.ts'

export const aboutHalfAKilobyte = (): NewEvent => ({
  id: randomUUID(),
  type: 'TransactionCaptured',
  data: {
    transaction_id: 1,
    bank_code: 'VCB',
    amount: '1500000.00',
    currency: 'VND',
    content: 'NGUYEN VAN A chuyen tien DH102947',
    raw_data:
      'SD TK 0071000888888 +1,500,000VND luc 21-11-2026 09:15:27. SD 25,300,000VND. Ref MBVCB.1234567890.NGUYEN VAN A chuyen tien DH102947',
  },
  metadata: {
    user_id: 1,
    at: new Date().toISOString(),
    correlation_id: randomUUID(),
    causation_id: randomUUID(),
    version: 1,
  },
})
