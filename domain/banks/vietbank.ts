// Tests: tests/unit/domain/reader/corpus.test.ts
import { bank, sms } from './bank.ts'

/** The currency precedes the account. VietBank is not VietinBank, Vietcombank or VietABank. */
export const vietbank = bank('VIETBANK', 'VietBank', {
  senders: ['VIETBANK'],
  packages: ['com.vnpay.vietbank'],
  layouts: [
    sms`TK {currency} {account} {amount:bare} LUC {date:HH:mm dd/MM/yyyy}. SO DU: {balance:bare}[. ND: {content}]`,
  ],
})
