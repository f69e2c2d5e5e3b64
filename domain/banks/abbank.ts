// Tests: tests/unit/domain/reader/corpus.test.ts
import { bank, sms } from './bank.ts'

/** The balance comes last. It is missing if the text was cut. */
export const abbank = bank('ABB', 'ABBANK', {
  senders: ['ABBANK'],
  packages: ['com.vnpay.abbank', 'vn.abbank.retail'],
  layouts: [
    sms`TK {account} thay doi: {amount} so GD: {ref:plain}[-{content}]. So du tinh den {date:HH:mm dd/MM/yyyy}[ la]: {balance}`,
    sms`TK {account} thay doi: {amount} so GD: {ref:plain}[-{content}][. So du tinh den {clock}]`,
  ],
})
