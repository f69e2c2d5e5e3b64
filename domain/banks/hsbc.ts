// Tests: tests/unit/domain/reader/corpus.test.ts
import { bank, mailSentence } from './bank.ts'

/** Mails of card payments. */
export const hsbc = bank('HSBC', 'HSBC', {
  senders: ['HSBC'],
  packages: ['vn.hsbc.hsbcvietnam'],
  domains: ['hsbc.com.hk', 'hsbc.com.vn'],
  layouts: [
    mailSentence`the tin dung {account} cua Quy khach vua thuc hien giao dich voi so tien {amount:out} tai {counterpart} vao ngay {date:dd/MM/yyyy}`,
  ],
})
