// Tests: tests/unit/domain/reader/corpus.test.ts
import { bank, mailTable, smsOrPush } from './bank.ts'

/** The currency follows the account. `GD:` is the memo here. The mail covers both directions, in two languages. */
export const acb = bank('ACB', 'ACB', {
  senders: ['ACB'],
  packages: ['mobile.acb.com.vn', 'com.acb.acbb.prod'],
  domains: ['acb.com.vn'],
  layouts: [smsOrPush`TK {account}({currency}) {amount} luc {date:HH:mm dd/MM/yyyy}. So du {balance}[. GD: {content}]`],
  tables: [
    mailTable(
      'giao dich moi nhat',
      {
        account: ['thong bao tai khoan'],
        balance: ['So du moi cua tai khoan tren la'],
        date: ['tinh den'],
        amount: ['Giao dich moi nhat'],
        content: ['Noi dung giao dich'],
        other: ['cua Quy khach da thay doi so du'],
        end: ['Cam on Quy khach', 'Dear', 'Day la email'],
      },
      { timeInMemo: true },
    ),
  ],
})
