import { bank, push, sms, whenBankIsKnown } from '../bank.ts'

/** `SD TK` is the account's label and is followed by the amount; the balance is the second `SD`. */
export const vietcombank = bank('VCB', 'Vietcombank', {
  senders: ['Vietcombank'],
  packages: ['com.VCB'],
  layouts: [
    sms`SD TK {account} {amount} luc {date:dd-MM-yyyy HH:mm:ss}. SD {balance}[. Ref {content}]`,
    sms`So du TK VCB {account} thay doi {amount}[ luc {date:dd-MM-yyyy HH:mm:ss}]. So du {balance}[. Ref {content}]`,
    push`So du TK VCB {account} {amount} luc {date:dd-MM-yyyy HH:mm:ss}. So du {balance}[. Ref {content}]`,
    whenBankIsKnown(sms`So du TK {account} {amount} luc {date:HH:mm dd/MM/yyyy}. SD: {balance}[. ND: {content}]`),
    whenBankIsKnown(push`TK {account} {amount}. SD {balance}[. ND: {content}]`),
  ],
})
