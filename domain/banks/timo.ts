// Tests: tests/unit/domain/reader/corpus.test.ts
import { bank, mailSentence, push, whenBankIsKnown } from './bank.ts'

/** One sentence in mail and push, in either language. */
export const timo = bank('TIMO', 'Timo', {
  packages: ['io.lifestyle.plus'],
  domains: ['timo.vn'],
  layouts: [
    whenBankIsKnown(
      push`Tai khoan[ {words}] vua[ duoc] {amount}[ vao {date:dd/MM/yyyy HH:mm}][. So du hien tai: {balance}][. Mo ta: {content}]`,
    ),
    whenBankIsKnown(
      push`[Your ]{words} Account has been {amount} on {date:dd/MM/yyyy HH:mm}[ VN][. Your <remaining/current> balance is[:] {balance}]. Transaction Description: {content}. Account no: {account}`,
    ),
    mailSentence`vua {amount} vao {date:dd/MM/yyyy HH:mm}[. So du hien tai: {balance}][. Mo ta: {content}]`,
    mailSentence`Account has been {amount} on {date:dd/MM/yyyy HH:mm}[. <Your current balance is/Current balance>: {balance}][. <Transaction description/Description>: {content}]`,
  ],
})
