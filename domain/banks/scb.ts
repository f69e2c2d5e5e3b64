// Tests: tests/unit/domain/reader/corpus.test.ts
import { bank, sms } from './bank.ts'

/** Two balances: before (`SD DAU`) and after (`SD CUOI`). The last layouts are those of a card. A credit card prints its limit. */
export const scb = bank('SCB', 'SCB', {
  senders: ['SCB'],
  packages: ['com.vnpay.SCB'],
  layouts: [
    sms`TK {account} NGAY {date:dd/MM/yy HH:mm} SD DAU {opening} {amount:bare}[ VND] SD CUOI {balance}[ ({content}[)]]`,
    sms`TK {account} NGAY {date:dd/MM/yy HH:mm} SD DAU {opening} NHAN {amount:in} SD CUOI {balance}[ ({content}[)]]`,
    sms`Cam on Quy khach da su dung the SCB {account} GD thanh cong {amount:out} Luc {date:HH:mm dd/MM/yy} Tai {counterpart} HM con lai {opening}`,
    sms`Cam on Quy khach da su dung the SCB {words} Debit {account} giao dich thanh cong {amount:out}. Luc {date:HH:mm dd/MM/yy}. Tai {counterpart}. Chi tiet LH: {phone}`,
  ],
})
