// Tests: tests/unit/domain/reader/corpus.test.ts
import { bank, sms } from './bank.ts'

/** In either language, with a date and no time. */
export const seabank = bank('SEAB', 'SeABank', {
  senders: ['SeABank'],
  packages: ['vn.com.seabank.mb1'],
  layouts: [
    sms`SeABank: Ngay {date:dd/MM/yyyy}. <TK/Tai khoan>: {account}. Phat sinh: {amount}. So du: {balance}[. <Nguoi chuyen/Nguoi gui/Nguoi nhan/Nguoi huong>: {counterpart}][. Noi dung: {content}]`,
    sms`SeABank: Date {date:dd/MM/yyyy}. Account: {account}. Change: {amount}. Balance: {balance}[. <Payee/Payer>: {counterpart}][. Detail: {content}]`,
  ],
})
