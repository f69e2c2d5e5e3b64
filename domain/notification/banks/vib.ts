import { bank, push, sms } from '../bank.ts'

/** The SMS glues the currency to the account and prints the balance, signed, behind the memo. */
export const vib = bank('VIB', 'VIB', {
  senders: ['VIB'],
  packages: ['com.vib.myvib2'],
  layouts: [
    sms`{date:HH:mm;dd/MM/yyyy} TK: {account}{currency} PS: {amount}[ ND: {content}] SODU: {balance:bare}`,
    push`Tai khoan {account}, phat sinh {amount} vao luc {date:HH:mm dd/MM/yyyy}. So du: {balance}[. Noi dung: {content}]`,
  ],
})
