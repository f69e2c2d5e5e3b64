// Tests: tests/unit/domain/reader/corpus.test.ts
import { bank, smsOrPush, whenBankIsKnown } from './bank.ts'

/**
 * Dots separate thousands. There are two balances, and the first may be missing. The reference ends the text or precedes
 * the account. The push is the SMS, possibly with joined lines. The app also has a chat (ChatPay), where people write to
 * each other and ask for money. A title without one of the bank's words may be a person's name.
 */
export const tpbank = bank('TPB', 'TPBank', {
  senders: ['TPBank'],
  packages: ['com.tpb.mb.gprsandroid', 'com.tpbankquickpay'],
  domains: ['tpb.com.vn'],
  chats: {
    titles:
      /^(?!.*\b(?:chat|chatpay|tin nhan|loi nhan)\b).*\b(?:tpb|tpbank|tien phong|bien dong|so du|giao dich|tai khoan|thong bao)\b|^$/,
  },
  layouts: [
    smsOrPush`(TPBank): {date:dd/MM/yy;HH:mm}~TK: {account}~PS: {amount}[~SD: {balance}][~SD KHA DUNG: {available}][~ND: {content}][~SO GD: {ref}]`,
    smsOrPush`(TPBank): {date:dd/MM/yy;HH:mm}~SO GD: {ref}~TK: {account}~PS: {amount}[~SD: {balance}][~SD KHA DUNG: {available}][~ND: {content}]`,
    whenBankIsKnown(
      smsOrPush`[TPBank: ]{date:dd/MM/yy;HH:mm}~TK: {account}~PS: {amount}[~SD: {balance}][~SD KHA DUNG: {available}][~ND: {content}][~SO GD: {ref}]`,
    ),
  ],
})
