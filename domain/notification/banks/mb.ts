import { bank, breaksAt, smsOrPush, whenBankIsKnown } from '../bank.ts'

/** `GD:` is the amount here. The newer texts name the other side (TU, DEN) and no longer break the memo. */
export const mb = bank('MB', 'MBBank', {
  senders: ['MBBANK'],
  packages: ['com.mbmobile'],
  layouts: [
    smsOrPush`TK {account}|GD: {amount} {date:dd/MM/yy HH:mm}|SD: {balance}|<TU/DEN>: {counterpart}[|ND: {content}]`,
    breaksAt(35, smsOrPush`TK {account}|GD: {amount} {date:dd/MM/yy HH:mm}|SD: {balance}[|ND: {content}]`),
    whenBankIsKnown(
      smsOrPush`So du TK {account} {amount} vao luc {date:HH:mm ngay dd/MM/yyyy}. SD hien tai: {balance}[. Noi dung: {content}]`,
    ),
    whenBankIsKnown(smsOrPush`Tai khoan {account} duoc {amount}. So du kha dung: {balance}[. Noi dung: {content}]`),
  ],
})
