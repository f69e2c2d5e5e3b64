// Tests: tests/unit/domain/reader/corpus.test.ts
import { bank, mailTable, push, sms, whenBankIsKnown } from './bank.ts'

/**
 * The app's push has sign and amount in its title, like Techcombank's. In the card mail the value precedes its label, and the
 * remaining sum is the credit limit, not a balance. Cake is a separate bank.
 */
export const vpbank = bank('VPB', 'VPBank', {
  senders: ['VPBank'],
  packages: ['com.vnpay.vpbankonline'],
  domains: ['vpb.com.vn'],
  names: ['VPB', 'VPBank NEO'],
  layouts: [
    sms`TK {account} tai VPB {amount} luc {date:HH:mm dd/MM/yy}. So du {balance}[. ND: {content}]`,
    sms`TK {account} tai VPB {amount} do {content}. So du TK sau GD la {balance}`,
    push`VPBank NEO {amount}~Tai khoan: {account}~So du: {balance}[~{content}]`,
    whenBankIsKnown(push`{amount}~Tai khoan: {account}~So du: {balance}[~{content}]`),
  ],
  tables: [
    mailTable(
      'so tien thay doi',
      {
        amount: ['So tien thay doi', 'Changed Amount'],
        content: ['Noi dung', 'Transaction Content'],
        date: ['Thoi gian', 'Time'],
        fee: ['Han muc con lai', 'Available Limit'],
        account: ['\nThe'],
        ref: ['Ma giao dich', 'Transaction Code'],
      },
      { valueFirst: true },
    ),
  ],
})
