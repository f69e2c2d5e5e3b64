// Tests: tests/unit/domain/reader/corpus.test.ts
import { bank, sms } from './bank.ts'

/** In either language, without a date. The currency precedes the number. The memo has no label. That of a card has the day of the purchase. */
export const shinhan = bank('SHBVN', 'Shinhan', {
  senders: ['SHINHANBANK'],
  packages: ['com.shinhan.global.vn.bank'],
  names: ['Shinhan', 'Shinhan Bank'],
  layouts: [
    sms`TK {account} thay doi {amount:bare}. So du kha dung: {balance:bare}[. . {content}]`,
    sms`TK {account} thanh toan the {amount:bare}. So du kha dung: {balance:bare}[. . {content}]`,
    sms`Acc no. {account} {amount:bare}. Available balance: {balance:bare}[. . {content}]`,
  ],
})
