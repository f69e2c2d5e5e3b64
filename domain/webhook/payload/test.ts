// Tests: tests/unit/domain/webhook/payload/payloads.test.ts
/** The payload of the test operation (section 2.5). It is not a real transaction, and its amount is a number. */
import type { Payload } from './shorten.ts'

/** @param timestamp  Unix seconds */
export const testPayload = (timestamp: number): Payload => ({
  event: 'test',
  bank_code: 'VCB',
  bank_name: 'Vietcombank',
  transaction_type: 'credit',
  amount: 100_000,
  currency: 'VND',
  description: 'A test call from Baoco: no money moved',
  timestamp,
})
