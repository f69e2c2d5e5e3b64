// Tests: tests/unit/domain/reader/corpus.test.ts
import { bank, push, sms, smsOrPush, whenBankIsKnown } from './bank.ts'

/** Prints no year. Dots separate thousands in the push, and one text had a dot too many (`335.532. VND`). */
export const ocb = bank('OCB', 'OCB', {
  senders: ['OCB'],
  packages: ['vn.com.ocb.awe', 'com.ocb.omniextra'],
  layouts: [
    sms`OCB {date:dd/MM HH:mm} TK {account} {amount}[ N/dung: {content}] So du: {balance}`,
    whenBankIsKnown(
      push`{date:dd/MM HH:mm}~Tai khoan: {account}~So tien: {amount}~So du: {balance}[~Noi dung: {content}]`,
    ),
    smsOrPush`OCB: TK {account} {amount}. Noi dung: {content}. SD: {balance}`,
  ],
})
