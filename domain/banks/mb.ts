// Tests: tests/unit/domain/reader/corpus.test.ts
import { bank, breaksAt, mailTable, smsOrPush, whenBankIsKnown } from './bank.ts'

/**
 * `GD:` is the amount here. The newer texts name the other party (TU, DEN) and no longer break the memo. Its mails only report
 * outgoing money.
 */
export const mb = bank('MB', 'MBBank', {
  senders: ['MBBANK'],
  packages: ['com.mbmobile'],
  domains: ['mbbank.com.vn'],
  names: ['MB', 'MB Bank'],
  layouts: [
    smsOrPush`TK {account}|GD: {amount} {date:dd/MM/yy HH:mm}|SD: {balance}|<TU/DEN>: {counterpart}[|ND: {content}]`,
    breaksAt(35, smsOrPush`TK {account}|GD: {amount} {date:dd/MM/yy HH:mm}|SD: {balance}[|ND: {content}]`),
    whenBankIsKnown(
      smsOrPush`So du TK {account} {amount} vao luc {date:HH:mm ngay dd/MM/yyyy}. SD hien tai: {balance}[. Noi dung: {content}]`,
    ),
    whenBankIsKnown(smsOrPush`Tai khoan {account} duoc {amount}. So du kha dung: {balance}[. Noi dung: {content}]`),
  ],
  tables: [
    mailTable(
      'so tham chieu',
      {
        date: ['Ngay, gio giao dich', 'Ngay gio giao dich'],
        direction: ['Loai giao dich'],
        ref: ['So tham chieu'],
        from: ['Tai khoan trich no', 'Tai khoan nguon'],
        to: ['Nguoi thu huong', 'Tai khoan thu huong'],
        to_name: ['Ten nguoi thu huong'],
        to_bank: ['Ngan hang thu huong'],
        amount: ['So tien giao dich', 'So tien'],
        fee: ['Phi giao dich', 'So tien phi', 'Phi'],
        content: ['Noi dung chuyen tien', 'Noi dung giao dich'],
        status: ['Tinh trang', 'Trang thai'],
        end: ['Tran trong', 'Cam on Quy khach da tin dung', 'De biet them'],
      },
      { direction: 'debit' },
    ),
    mailTable(
      'diem giao dich',
      {
        other: ['MB TK cham', 'So the', 'The'],
        date: ['Ngay, gio giao dich', 'Ngay gio giao dich'],
        content: ['Diem giao dich'],
        amount: ['So tien giao dich', 'So tien'],
        account: ['So tai khoan'],
        balance: ['So du'],
        status: ['Tinh trang', 'Trang thai'],
        end: ['Neu khong thuc hien', 'Tran trong', 'Cam on Quy khach da tin dung'],
      },
      { isDistinctive: false },
    ),
  ],
})
