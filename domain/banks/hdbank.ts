// Tests: tests/unit/domain/reader/corpus.test.ts
import { bank, sms, smsOrPush } from './bank.ts'

/** The direction is a word (`RUT RA`). Some texts print no separators between thousands. */
export const hdbank = bank('HDB', 'HDBank', {
  senders: ['HDBank'],
  packages: ['com.vnpay.hdbank'],
  layouts: [
    sms`TK {account} ngay {date:dd/MM/yyyy HH:mm:ss} {amount} SO DU: {balance}[ ND: {content}]`,
    smsOrPush`HDBank: {date:dd/MM/yyyy HH:mm}~TK: {account}~So tien GD: {amount}~So du cuoi: {balance}[~Noi dung GD: {content}]`,
    smsOrPush`HDBank: {date:HH:mm dd/MM/yyyy}~TK: {account}~So tien GD: {amount}~So du cuoi: {balance}[~Noi dung GD: {content}]`,
    sms`HDBank: TK {account} GD {amount} luc {date:dd/MM/yyyy HH:mm}. SD {balance}[. ND: {content}]`,
  ],
})
