// Tests: tests/unit/domain/reader/corpus.test.ts
import { bank, mailTable, sms } from './bank.ts'

/**
 * The SMS prints no year. Dots separate thousands. The amount includes the fee, which stands in brackets. The balance comes last. The mail is
 * about a credit card: a payment by it has a minus, one to it may have no sign.
 */
export const msb = bank('MSB', 'MSB', {
  senders: ['MSB'],
  packages: ['vn.com.msb.smartBanking'],
  domains: ['msb.com.vn'],
  layouts: [sms`{date:dd/MM HH:mm} TK {account} {amount}[ {aside}][ ND: {content}] SD: {balance:bare}`],
  tables: [
    mailTable(
      'so tien thay doi',
      {
        other: ['So hop dong', 'Contract Number'],
        account: ['So the tin dung', 'Main Card Number'],
        amount: ['So tien thay doi', 'Changed Amount'],
        content: ['Noi dung giao dich', 'Content'],
        date: ['Thoi gian giao dich', 'Transaction time'],
        fee: ['Han muc kha dung', 'Available Limit'],
        end: ['Cam on', 'Tran trong', 'Thank you', 'Moi thac mac', 'Neu Quy khach', 'Luu y'],
      },
      { byLines: true },
    ),
  ],
})
