// Tests: tests/unit/domain/reader/corpus.test.ts
import { bank, mailSentence } from './bank.ts'

/** Mails of card payments. */
export const uob = bank('UOB', 'UOB', {
  packages: ['com.uob.mightyvn'],
  domains: ['uobgroup.com'],
  layouts: [
    mailSentence`The cua Quy khach voi so cuoi {account} da thuc hien giao dich {amount:out}[ tai {counterpart}] vao ngay {date:dd/MM/yyyy}`,
  ],
})
