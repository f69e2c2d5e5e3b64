/** Sentences that wallets share. They print no sign: the verb tells which way money went. Plain, so the app must name the wallet. */
import { push, whenBankIsKnown } from '../bank.ts'

export const walletSentences = [
  push`[Ban ][da ][vua ]nhan[ duoc][ tien][ thanh cong] {amount:in} tu {counterpart}[. <Ma GD/Ma giao dich>: {ref}][. <So du vi/So du/SD>[:] {balance}]`,
  push`[Ban ][da ][vua ]chuyen[ tien][ thanh cong] {amount:out} <toi/cho/den> {counterpart}[. <Ma GD/Ma giao dich>: {ref}][. <So du vi/So du/SD>[:] {balance}]`,
  push`[Ban ][da ][vua ]thanh toan[ thanh cong] {amount:out} <cho/tai> {counterpart}[ qua QR][. <Ma GD/Ma giao dich>: {ref}][. <So du vi/So du/SD>[:] {balance}]`,
  push`[Ban ][da ][vua ]nap[ tien][ thanh cong] {amount:in} <vao vi/tu> {counterpart}[. <Ma GD/Ma giao dich>: {ref}][. <So du vi/So du/SD>[:] {balance}]`,
  push`[Ban ][da ][vua ]rut[ tien][ thanh cong] {amount:out} <ve/tu vi/ra> {counterpart}[. <Ma GD/Ma giao dich>: {ref}][. <So du vi/So du/SD>[:] {balance}]`,
].map(whenBankIsKnown)
