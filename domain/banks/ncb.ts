// Tests: tests/unit/domain/reader/corpus.test.ts
import { bank, sms } from './bank.ts'

/** The balance is signed. */
export const ncb = bank('NCB', 'NCB', {
  senders: ['NH QUOC DAN'],
  packages: ['com.ncb.bank'],
  layouts: [sms`NCB: {date:dd/MM/yyyy HH:mm} TK {account}. Phat sinh: {amount}. So du: {balance}[. ND: {content}]`],
})
