// Tests: tests/unit/domain/reader/corpus.test.ts
import { bank, sms, smsOrPush } from './bank.ts'

/** The memo has no label. Until 2018 the text was one sentence: `gui … vao TK`, `rut … tu TK`. */
export const sacombank = bank('STB', 'Sacombank', {
  senders: ['Sacombank'],
  packages: ['com.sacombank.ewallet', 'src.com.sacombank'],
  layouts: [
    smsOrPush`Sacombank[:] {date:dd/MM/yyyy HH:mm}~TK: {account}~PS: {amount}~So du kha dung: {balance}[~{content}]`,
    sms`Sacombank {date:dd/MM/yyyy HH:mm} {amount} <vao/tu> TK {account} {content}[ -] So du kha dung: {balance}`,
  ],
})
