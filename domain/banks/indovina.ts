// Tests: tests/unit/domain/reader/corpus.test.ts
import { bank, sms } from './bank.ts'

/** Word and sign together: `giam(-)`. A transfer and its fee arrive as two texts within one minute. */
export const indovina = bank('IVB', 'Indovina', {
  senders: ['IVB'],
  packages: ['com.vnpay.ivb'],
  layouts: [sms`TK {account} tai IVB {amount} luc {date:dd/MM/yy HH:mm}. SDC: {balance}[. ND: {content}]`],
})
