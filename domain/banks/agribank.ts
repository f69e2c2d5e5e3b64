// Tests: tests/unit/domain/reader/corpus.test.ts
import { bank, push, sms } from './bank.ts'

/** The SMS prints the time as `16h08p`, and no year. Its memo has no label and may stand in brackets. */
export const agribank = bank('VBA', 'Agribank', {
  senders: ['AGRIBANK', '8149'],
  packages: ['com.vnpay.Agribank3g'],
  layouts: [
    sms`Agribank: {date:HHhmmp dd/MM} TK {account}: {amount} ({content}). SD: {balance}`,
    sms`Agribank: {date:HHhmmp dd/MM} TK {account}: {amount}[ {content}]. SD: {balance}`,
    push`Agribank: {date:HH:mm dd/MM/yyyy} Tai khoan {account}: {amount}[~Noi dung giao dich: {content}.]~So du cuoi: {balance}`,
    push`Agribank: {date:HH:mm dd/MM/yyyy} Tai khoan {account}: {amount}[~Noi dung giao dich: {content}]~So du cuoi: {balance}`,
  ],
})
