// Tests: tests/unit/domain/reader/corpus.test.ts
import { bank, push, smsOrPush } from './bank.ts'

/** `GD:` is the amount here, and `SDC` the balance. A cut memo ends in `~`. The bank's name may be missing. */
export const vietinbank = bank('CTG', 'VietinBank', {
  senders: ['VietinBank'],
  packages: ['com.vietinbank.ipay'],
  layouts: [
    smsOrPush`[VietinBank: ]{date:dd/MM/yyyy HH:mm}|TK: {account}|GD: {amount}|SDC: {balance}[|ND: {content}]`,
    push`Thoi gian: {date:dd/MM/yyyy HH:mm}~Tai khoan: {account}~Giao dich: {amount}~So du hien tai: {balance}[~Noi dung: {content}]`,
  ],
})
