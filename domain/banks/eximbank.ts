import { bank, sms } from './bank.ts'

/** Behind the branch; texts without a sign do not say whether money came or went, and are left unread. */
export const eximbank = bank('EIB', 'Eximbank', {
  senders: ['EXIMBANK'],
  packages: ['com.vnpay.EximBankOmni', 'com.vnpay.eximbank'],
  names: ['EIB'],
  onlyLayouts: true,
  layouts: [sms`EIB {words} TK {account} {date:dd/MM/yy HH:mm} {content} {amount} SD {balance}`],
})
