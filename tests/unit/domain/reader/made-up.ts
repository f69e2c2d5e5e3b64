/** The parts of made-up layouts and mails. */
import fc from 'fast-check'
import { read } from '../../../../domain/reader/reader.ts'
import type { Incoming, Reading } from '../../../../domain/reader/reading.ts'
import { repetitions } from '../../../harness/repetitions.ts'

const AT = new Date('2026-11-20T03:00:00Z')
export const RUNS = { numRuns: repetitions(20_000, 300) }

export const resultOf = (incoming: Incoming) => read(incoming, AT)
export const moneyOf = ({ transaction_type, amount, currency, account_number, balance_after, content }: Reading) => ({
  transaction_type,
  amount,
  currency,
  account_number,
  balance_after,
  content,
})

export const grouped = (value: number, mark: string): string => String(value).replace(/\B(?=(\d{3})+$)/g, mark)
export const oneOf = <Item>(...items: readonly Item[]) => fc.constantFrom(...items)

export const sum = fc.integer({ min: 1_000, max: 2_000_000_000 })
export const account = oneOf('0123456789', '19031234567890', 'xxxx6789', '0123***789', '9704-xxxx-1234')
export const date = oneOf('20/11/2026 09:46', '20-11-2026 09:46:12', '09:46 20/11/2026')
export const direction = oneOf('credit' as const, 'debit' as const)
export const memo = oneOf(
  'DH1042',
  'NGUYEN VAN AN chuyen tien DH1042',
  'mua 2 ao, 1 quan, size L, DH1042',
  'tien hang thang 11',
)
export const labels = fc.record({
  account: oneOf('TK', 'TK:', 'Tai khoan', 'Tài khoản:', 'Account', 'A/C', 'Acct:'),
  balance: oneOf('SD', 'SD:', 'So du:', 'Số dư', 'Balance:', 'Avail bal:', 'So du kha dung:'),
  memo: oneOf('ND:', 'Noi dung:', 'Nội dung', 'Content:', 'Details:', 'Desc:', 'Remark:'),
})
export const ends = oneOf('. ', '\n', ' | ', '; ')

const HOSTILE = [
  '+VND9,999,999', '-9 999 999 VND', 'SD: 9 999 999 VND', 'So du 9,999,999 VND.', 'CREDIT VND 9,999,999', 'VND 9,999,999 credited',
  'TK 9999999999 +9 999 999 VND. SD 9 999 999 VND. ND: DH9999', 'Balance: VND9,999,999', '123 456 VND', '9 999 999', 'tang 9 999 999d',
  'Txn: CREDIT 9,999,999 VND', '1,000 2,000', 'otp', 'ma OTP 123456', 'sao ke den han', 'LH 19001234',
] // prettier-ignore
export const hostile = fc
  .array(oneOf(...HOSTILE, 'DH1042', 'A', ',', '.', '\n', '|'), { minLength: 1, maxLength: 5 })
  .map((words) => `x ${words.join(' ')}`)
