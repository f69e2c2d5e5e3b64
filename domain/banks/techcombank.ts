// Tests: tests/unit/domain/reader/corpus.test.ts
import { bank, push, silentCurrency, sms, whenBankIsKnown } from './bank.ts'

/**
 * The SMS prints no date, and no currency for an account in dong. The app's push has sign and amount in its title, which is the
 * first line here. Without the title, the body contains a balance and no amount.
 */
export const techcombank = bank('TCB', 'Techcombank', {
  senders: ['Techcombank'],
  packages: ['vn.com.techcombank.bb.app'],
  domains: ['techcombank.com.vn'],
  layouts: [
    silentCurrency(
      'VND',
      whenBankIsKnown(
        sms`TK {account}~So tien GD: {amount:bare}~So du: {balance:bare}~ND: {content}~{date:dd/MM/yyyy HH:mm}`,
      ),
    ),
    silentCurrency('VND', sms`TK {account}~So tien GD: {amount:bare}~So du: {balance:bare}[~{content}]`),
    push`{amount:bare}~Tai khoan[ thanh toan]: {account}~So du: {balance:bare}[~{content}]`,
    whenBankIsKnown(
      push`Tai khoan {account}~So tien: {amount}~So du: {balance}~Noi dung: {content}[~{date:dd/MM/yyyy HH:mm}]`,
    ),
  ],
})
