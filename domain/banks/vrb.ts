// Tests: tests/unit/domain/reader/corpus.test.ts
import { bank, sms, whenBankIsKnown } from './bank.ts'

/** The holder's name follows the account. No time, no balance. */
export const vrb = bank('VRB', 'VRB', {
  senders: ['VRB'],
  layouts: [whenBankIsKnown(sms`TK {account}-{words} {amount}[ -ND: {content}]`)],
})
