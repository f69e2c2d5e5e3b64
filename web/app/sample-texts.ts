/** Texts as banks send them, for those who want to try the service without a payment. */
import { inVietnam } from './vietnam-time.ts'

export interface SamplePayment {
  /** Digits. */
  account: string
  orderId: string
  /** Whole đồng. */
  amount: number
  /** Whole đồng. */
  balance: number
  at: Date
  /** Digits; another one for each text, as each payment has its own reference. */
  number: string
}

export interface SampleBank {
  code: string
  name: string
  /** The sender of the bank's SMS. */
  sender: string
  text: (payment: SamplePayment) => string
}

const two = (value: number): string => String(value).padStart(2, '0')

const printed = ({ account, orderId, amount, balance, at, number }: SamplePayment) => {
  const local = inVietnam(at)
  return {
    account,
    amount: `+${amount.toLocaleString('en-US')}`,
    balance: balance.toLocaleString('en-US'),
    orderId,
    // Without a name: what a payer writes does not prove who pays, so it is not read as the payer.
    memo: `thanh toan ${orderId}`,
    number,
    day: two(local.getUTCDate()),
    month: two(local.getUTCMonth() + 1),
    year: String(local.getUTCFullYear()),
    hour: two(local.getUTCHours()),
    minute: two(local.getUTCMinutes()),
    second: two(local.getUTCSeconds()),
  }
}

type Printed = ReturnType<typeof printed>

const bank = (code: string, name: string, sender: string, text: (of: Printed) => string): SampleBank => ({
  code,
  name,
  sender,
  text: (payment) => text(printed(payment)),
})

export const SAMPLE_BANKS: readonly SampleBank[] = [
  bank(
    'VCB',
    'Vietcombank',
    'Vietcombank',
    (of) =>
      `SD TK ${of.account} ${of.amount}VND luc ${of.day}-${of.month}-${of.year} ${of.hour}:${of.minute}:${of.second}. SD ${of.balance}VND. Ref MBVCB.${of.number}.${of.orderId}.CT tu 1012345678 NGUYEN VAN AN toi ${of.account} HOA SEN`,
  ),
  bank(
    'MB',
    'MBBank',
    'MBBANK',
    (of) =>
      `TK ${of.account}|GD: ${of.amount}VND ${of.day}/${of.month}/${of.year.slice(2)} ${of.hour}:${of.minute}|SD:${of.balance}VND|ND: ${of.memo}`,
  ),
  bank(
    'TCB',
    'Techcombank',
    'Techcombank',
    (of) => `TK ${of.account}\nSo tien GD:${of.amount}\nSo du:${of.balance}\n${of.memo} FT${of.number}`,
  ),
  bank(
    'ACB',
    'ACB',
    'ACB',
    (of) =>
      `ACB: TK ${of.account}(VND) ${of.amount} luc ${of.hour}:${of.minute} ${of.day}/${of.month}/${of.year}. So du ${of.balance}. GD: ${of.memo}`,
  ),
  bank(
    'BIDV',
    'BIDV',
    'BIDV',
    (of) =>
      `TK${of.account} tai BIDV ${of.amount}VND vao ${of.hour}:${of.minute} ${of.day}/${of.month}/${of.year}. So du:${of.balance}VND. ND: ${of.memo}`,
  ),
  bank(
    'CTG',
    'VietinBank',
    'VietinBank',
    (of) =>
      `VietinBank:${of.day}/${of.month}/${of.year} ${of.hour}:${of.minute}|TK:${of.account}|GD:${of.amount}VND|SDC:${of.balance}VND|ND:${of.memo}; tai iPay`,
  ),
  bank(
    'VBA',
    'Agribank',
    'Agribank',
    (of) =>
      `Agribank: ${of.hour}h${of.minute}p ${of.day}/${of.month} TK ${of.account}: ${of.amount}VND (${of.memo}). SD: ${of.balance}VND.`,
  ),
  bank(
    'VPB',
    'VPBank',
    'VPBank',
    (of) =>
      `TK ${of.account} tai VPB ${of.amount}VND luc ${of.hour}:${of.minute} ${of.day}/${of.month}/${of.year.slice(2)}. So du ${of.balance}VND. ND: ${of.memo}`,
  ),
]
