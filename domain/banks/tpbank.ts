import { bank, smsOrPush, whenBankIsKnown } from './bank.ts'

/** Dots for thousands; two balances, of which the first may be missing. The push is the SMS, its lines perhaps joined. */
export const tpbank = bank('TPB', 'TPBank', {
  senders: ['TPBank'],
  packages: ['com.tpb.mb.gprsandroid', 'com.tpbankquickpay'],
  domains: ['tpb.com.vn'],
  layouts: [
    smsOrPush`(TPBank): {date:dd/MM/yy;HH:mm}~TK: {account}~PS: {amount}[~SD: {balance}][~SD KHA DUNG: {available}][~ND: {content}][~SO GD: {ref}]`,
    whenBankIsKnown(
      smsOrPush`[TPBank: ]{date:dd/MM/yy;HH:mm}~TK: {account}~PS: {amount}[~SD: {balance}][~SD KHA DUNG: {available}][~ND: {content}][~SO GD: {ref}]`,
    ),
  ],
})
