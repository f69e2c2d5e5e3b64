// Tests: tests/unit/domain/reader/corpus.test.ts
import { bank, silentCurrency, sms, whenBankIsKnown } from './bank.ts'

/** Blanks separate thousands. Its SMS prints no currency, and the memo with its number and day in brackets, often cut. */
export const publicBank = bank('PBVN', 'Public Bank', {
  senders: ['PublicBank'],
  packages: ['com.vnpay.publicbank'],
  spacedThousands: true,
  layouts: [
    silentCurrency(
      'VND',
      whenBankIsKnown(
        sms`TK {account} duoc {amount:bare} So du hien thoi: {balance:bare}[ (GD: {ref:plain} {date:dd/MM/yyyy} {content}[)]]`,
      ),
    ),
  ],
})
