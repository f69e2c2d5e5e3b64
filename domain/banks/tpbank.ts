// Tests: tests/unit/domain/reader/corpus.test.ts
import { bank, smsOrPush, whenBankIsKnown } from './bank.ts'

/** Dots separate thousands. There are two balances, and the first may be missing. The push is the SMS, possibly with joined lines. */
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
