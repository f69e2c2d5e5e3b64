// Tests: tests/unit/domain/reader/corpus.test.ts
import { bank, push, sms, whenBankIsKnown } from './bank.ts'

/** The push is a list of labelled lines. Time and balance may be missing. Until 2025 it was one line. */
export const bidv = bank('BIDV', 'BIDV', {
  senders: ['BIDV'],
  packages: ['com.vnpay.bidv'],
  domains: ['bidv.com.vn'],
  names: ['SmartBanking'],
  layouts: [
    sms`TK {account} tai BIDV {amount}[ vao {date:HH:mm dd/MM/yyyy}][. So du: {balance}][. ND: {content}]`,
    push`[[Thoi gian giao dich: ]{date:HH:mm dd/MM/yyyy}~]Tai khoan thanh toan<: / >{account}~So tien[ GD]: {amount}[~So du cuoi: {balance}]~Noi dung giao dich: {content}[~Ma giao dich: {ref}]`,
    whenBankIsKnown(
      push`Tai khoan {account} {amount} vao {date:HH:mm dd/MM/yyyy}. So du: {balance}[. Noi dung: {content}]`,
    ),
  ],
})
