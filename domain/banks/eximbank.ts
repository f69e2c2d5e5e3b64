// Tests: tests/unit/domain/reader/corpus.test.ts
import { bank, sms, smsOrPush, whenBankIsKnown } from './bank.ts'

/**
 * The values follow the branch. A text without a sign does not show the direction, so it stays unread. The memo stands before the amount, so its
 * last word (`QUA TANG`) is not a direction.
 */
export const eximbank = bank('EIB', 'Eximbank', {
  senders: ['EXIMBANK'],
  packages: ['com.vnpay.EximBankOmni', 'com.vnpay.eximbank'],
  names: ['EIB'],
  onlyLayouts: true,
  layouts: [
    sms`EIB {words} TK {account} {date:dd/MM/yy HH:mm} {content} {amount:signed} SD {balance}`,
    whenBankIsKnown(
      smsOrPush`[Eximbank: ]<TK/Tai khoan>[:] {account}~Phat sinh: {amount}[ luc {date:HH:mm:ss dd/MM/yyyy}]~So du[ cuoi]: {balance}[~Noi dung[ giao dich]: {content}]`,
    ),
  ],
})
