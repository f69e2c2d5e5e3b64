// Tests: tests/unit/domain/reader/corpus.test.ts
import { bank, mailTable, sms, smsOrPush } from './bank.ts'

/** The memo has no label. Until 2018 the text was one sentence: `gui … vao TK`, `rut … tu TK`. The mail is in two languages. */
export const sacombank = bank('STB', 'Sacombank', {
  senders: ['Sacombank'],
  packages: ['com.sacombank.ewallet', 'src.com.sacombank'],
  domains: ['sacombank.com.vn'],
  layouts: [
    smsOrPush`Sacombank[:] {date:dd/MM/yyyy HH:mm}~TK: {account}~PS: {amount}~So du kha dung: {balance}[~{content}]`,
    sms`Sacombank {date:dd/MM/yyyy HH:mm} {amount} <vao/tu> TK {account} {content}[ -] So du kha dung: {balance}`,
  ],
  tables: [
    mailTable(
      'phat sinh ?/ ?transaction',
      {
        account: ['Tai khoan', 'Account'],
        date: ['Ngay', 'Date'],
        amount: ['Phat sinh', 'Transaction'],
        balance: ['So du kha dung', 'Available balance'],
        content: ['Noi dung', 'Description'],
        end: ['Tran trong', 'Thank you', 'Lien he', 'Ngan hang TMCP', 'Moi thac mac', 'Neu Quy khach', 'Luu y'],
      },
      { byLines: true },
    ),
  ],
})
