import { bank, sms } from './bank.ts'

/** Prints no year; dots for thousands; the amount holds the fee, which stands in brackets; the balance comes last. */
export const msb = bank('MSB', 'MSB', {
  senders: ['MSB'],
  packages: ['vn.com.msb.smartBanking'],
  domains: ['msb.com.vn'],
  layouts: [sms`{date:dd/MM HH:mm} TK {account} {amount}[ {aside}][ ND: {content}] SD: {balance:bare}`],
})
