// Tests: tests/unit/domain/reader/corpus.test.ts
import { bank, sms } from './bank.ts'

/** The balance precedes the amount. */
export const shb = bank('SHB', 'SHB', {
  senders: ['SHB'],
  packages: ['vn.shb.mbanking', 'vn.shb.saha.mbanking'],
  layouts: [
    sms`<SDTK/SD TK/So du TK> {account}[ den {date:HH:mm:ss ngay dd/MM/yyyy}] la {balance}. GD moi nhat: {amount}[: {content}]`,
  ],
})
