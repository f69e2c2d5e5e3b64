// Tests: tests/unit/domain/reader/corpus.test.ts
import { bank, sms } from './bank.ts'

/** Prints no year. Dots separate thousands. The amount includes the fee, which stands in brackets. The balance comes last. */
export const msb = bank('MSB', 'MSB', {
  senders: ['MSB'],
  packages: ['vn.com.msb.smartBanking'],
  domains: ['msb.com.vn'],
  layouts: [sms`{date:dd/MM HH:mm} TK {account} {amount}[ {aside}][ ND: {content}] SD: {balance:bare}`],
})
