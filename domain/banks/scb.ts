// Tests: tests/unit/domain/reader/corpus.test.ts
import { bank, sms } from './bank.ts'

/** Two balances: before (`SD DAU`) and after (`SD CUOI`). */
export const scb = bank('SCB', 'SCB', {
  senders: ['SCB'],
  packages: ['com.vnpay.SCB'],
  layouts: [
    sms`TK {account} NGAY {date:dd/MM/yy HH:mm} SD DAU {opening} {amount:bare}[ VND] SD CUOI {balance}[ ({content}[)]]`,
    sms`TK {account} NGAY {date:dd/MM/yy HH:mm} SD DAU {opening} NHAN {amount:in} SD CUOI {balance}[ ({content}[)]]`,
  ],
})
