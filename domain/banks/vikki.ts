// Tests: tests/unit/domain/reader/corpus.test.ts
import { bank, sms } from './bank.ts'

/** DongA Bank until 2025. Its texts still use that name. */
export const vikki = bank('VIKKI', 'Vikki Bank', {
  senders: ['DONGA BANK'],
  packages: ['com.finx.vikki'],
  names: ['DongA Bank thong bao'],
  layouts: [
    sms`{date:dd/MM/yy HH:mm} DongA Bank thong bao: TK {account} da thay doi: {amount}[. {content}]. So du hien tai la: {balance}`,
  ],
})
