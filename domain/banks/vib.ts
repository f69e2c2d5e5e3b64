// Tests: tests/unit/domain/reader/corpus.test.ts
import { bank, mailTable, NO_CARD_PAYMENT, push, sms } from './bank.ts'

/** The SMS attaches the currency to the account, and prints the signed balance after the memo. Mails arrive for card payments. */
export const vib = bank('VIB', 'VIB', {
  senders: ['VIB'],
  packages: ['com.vib.myvib2'],
  domains: ['vib.com.vn'],
  layouts: [
    sms`{date:HH:mm;dd/MM/yyyy} TK: {account}{currency} PS: {amount}[ ND: {content}] SODU: {balance:bare}`,
    push`Tai khoan {account}, phat sinh {amount} vao luc {date:HH:mm dd/MM/yyyy}. So du: {balance}[. Noi dung: {content}]`,
  ],
  tables: [
    mailTable(
      'thong bao giao dich the',
      {
        account: ['So the:'],
        other: ['Chu the:'],
        content: ['Giao dich:'],
        amount: ['Gia tri:'],
        date: ['Vao luc:'],
        to_name: ['\nTai'],
        status: ['Tinh trang:', 'Trang thai:'],
        end: ['Ngan hang Quoc Te', 'Tran trong', 'De biet them', 'Hotline'],
      },
      { direction: 'debit', unless: NO_CARD_PAYMENT },
    ),
  ],
})
