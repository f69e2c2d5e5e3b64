// Tests: tests/unit/domain/reader/corpus.test.ts
import { bank, sms } from './bank.ts'

/** The currency follows the account. A balance may be negative. */
export const pvcombank = bank('PVCB', 'PVcomBank', {
  senders: ['PVCOMBANK'],
  packages: ['com.pvcombank.retail', 'com.vsii.pvcombank'],
  layouts: [
    sms`TK: {account}({currency}). {amount:bare}. SD: {balance:bare}. Luc: {date:HH:mm dd/MM/yyyy}[. ND: {content}][. LH: {phone}]`,
  ],
})
