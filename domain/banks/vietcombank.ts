// Tests: tests/unit/domain/reader/corpus.test.ts
import { bank, mailTable, push, sms, whenBankIsKnown } from './bank.ts'

/**
 * `SD TK` is the account's label, and the amount follows it. The balance is the second `SD`. Mails arrive for outgoing money only:
 * receipts of transfers, and card payments.
 */
export const vietcombank = bank('VCB', 'Vietcombank', {
  senders: ['Vietcombank'],
  packages: ['com.VCB'],
  domains: ['vietcombank.com.vn'],
  names: ['VCB'],
  layouts: [
    sms`SD TK {account} {amount} luc {date:dd-MM-yyyy HH:mm:ss}. SD {balance}[. Ref {content}]`,
    sms`So du TK VCB {account} thay doi {amount}[ luc {date:dd-MM-yyyy HH:mm:ss}]. So du {balance}[. Ref {content}]`,
    push`So du TK VCB {account} {amount} luc {date:dd-MM-yyyy HH:mm:ss}. So du {balance}[. Ref {content}]`,
    whenBankIsKnown(sms`So du TK {account} {amount} luc {date:HH:mm dd/MM/yyyy}. SD: {balance}[. ND: {content}]`),
    whenBankIsKnown(push`TK {account} {amount}. SD {balance}[. ND: {content}]`),
  ],
  tables: [
    mailTable(
      'bien lai chuyen tien',
      {
        date: ['Ngay, gio giao dich', 'Trans. Date, Time'],
        ref: ['So lenh giao dich', 'Order Number'],
        from: ['Tai khoan nguon', 'Tai khoan trich no', 'Debit Account'],
        from_name: ['Ten nguoi chuyen tien', 'Remitter’s name', "Remitter's name"],
        to: ['Tai khoan nguoi huong', 'Tai khoan huong', 'Credit Account'],
        to_name: ['Ten nguoi huong', 'Beneficiary Name'],
        to_bank: ['Ten ngan hang huong', 'Ngan hang huong', 'Beneficiary Bank Name'],
        amount: ['So tien', 'Amount'],
        fee: ['Loai phi', 'Charge Code', 'So tien phi', 'Charge Amount', 'Net income', 'VAT', 'Exclude'],
        content: ['Noi dung chuyen tien', 'Details of Payment'],
        status: ['Trang thai', 'Tinh trang giao dich', 'Status of Transaction'],
        end: ['Cam on Quy khach', 'Thank you for'],
      },
      { direction: 'debit' },
    ),
    mailTable(
      'tinh trang giao dich',
      {
        other: ['The Card', 'Loai the'],
        content: ['Su dung tai At', 'Su dung tai'],
        amount: ['So tien Transaction Amount', 'So tien', 'Transaction Amount'],
        date: ['Ngay, gio giao dich Trans. Date, Time', 'Ngay, gio giao dich', 'Trans. Date, Time'],
        from: ['Tai khoan trich no Debit Account', 'Tai khoan trich no', 'Debit Account'],
        status: ['Tinh trang giao dich Status of Transaction', 'Tinh trang giao dich', 'Status of Transaction'],
        end: ['Cam on Quy khach', 'Thank you for'],
      },
      { direction: 'debit' },
    ),
  ],
})
