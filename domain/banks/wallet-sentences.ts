// Tests: tests/unit/domain/reader/corpus.test.ts
/** Sentences that wallets share. They print no sign: the verb shows the direction. They are generic, so the app must name the wallet. */
import type { Bank } from './bank.ts'
import { push, whenBankIsKnown } from './bank.ts'

/** Wallets also show chats. Their pushes about money have one of these titles. MoMo's has the payer's name, and no balance in the text. */
export const walletChats: Bank['chats'] = {
  titles:
    /^(?:(?:thanh toan|chuyen tien|chuyen khoan|nhan tien|nap tien|rut tien|giao dich)(?: thanh cong)?|bien dong so du|thong bao so du)[.!]?$/,
  withName: /^nhan tien(?: chuyen khoan)? tu [a-z]/,
}

export const walletSentences = [
  push`[Ban ][da ][vua ]nhan[ duoc][ tien][ thanh cong] {amount:in} tu {counterpart}[. <Ma GD/Ma giao dich>: {ref}][. <So du vi/So du/SD>[:] {balance}]`,
  push`[Ban ][da ][vua ]chuyen[ tien][ thanh cong] {amount:out} <toi/cho/den> {counterpart}[. <Ma GD/Ma giao dich>: {ref}][. <So du vi/So du/SD>[:] {balance}]`,
  push`[Ban ][da ][vua ]thanh toan[ thanh cong] {amount:out} <cho/tai> {counterpart}[ qua QR][. <Ma GD/Ma giao dich>: {ref}][. <So du vi/So du/SD>[:] {balance}]`,
  push`[Ban ][da ][vua ]nap[ tien][ thanh cong] {amount:in} <vao vi/tu> {counterpart}[. <Ma GD/Ma giao dich>: {ref}][. <So du vi/So du/SD>[:] {balance}]`,
  push`[Ban ][da ][vua ]rut[ tien][ thanh cong] {amount:out} <ve/tu vi/ra> {counterpart}[. <Ma GD/Ma giao dich>: {ref}][. <So du vi/So du/SD>[:] {balance}]`,
].map(whenBankIsKnown)
