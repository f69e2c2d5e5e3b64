/**
 * The content of a VietQR code: EMVCo's merchant-presented format, with NAPAS account information in field 38. A field consists
 * of its two-digit id, its two-digit length and its value. The last field is a CRC-16 (CCITT-FALSE) over everything before its
 * own value.
 */
import { binOf } from './bins.ts'

export interface Transfer {
  /** Our bank code, such as `VCB`. */
  bank_code: string
  account_number: string
  /** Whole dong. If there is none, the payer enters it. */
  amount?: number
  /** The memo. Diacritics and signs are removed, because banks accept only letters, digits and blanks. */
  content?: string
}

/** Banks truncate a longer memo. */
const CONTENT_AT_MOST = 25
/** The longest account number that transfers accept. */
const ACCOUNT = /^[A-Za-z0-9]{1,19}$/

const field = (id: string, value: string): string => `${id}${String(value.length).padStart(2, '0')}${value}`

/** CRC-16/CCITT-FALSE of ASCII text, as four upper-case hexadecimal digits. */
export const crcOf = (text: string): string => {
  let crc = 0xffff
  for (const byte of Buffer.from(text, 'latin1')) {
    crc ^= byte << 8
    for (let bit = 0; bit < 8; bit++) crc = ((crc << 1) ^ (crc & 0x8000 ? 0x1021 : 0)) & 0xffff
  }
  return crc.toString(16).toUpperCase().padStart(4, '0')
}

/** Converts a memo to a form that every bank accepts. */
export const plainContent = (content: string): string =>
  content
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .replace(/đ/g, 'd')
    .replace(/Đ/g, 'D')
    .replace(/[^A-Za-z0-9]+/g, ' ')
    .trim()
    .slice(0, CONTENT_AT_MOST)
    .trimEnd()

/**
 * @returns the text to encode as a QR code
 * @throws {RangeError} for a bank without a BIN, or for an account number or amount that no transfer accepts
 */
export const vietQr = ({ bank_code, account_number, amount, content }: Transfer): string => {
  const bin = binOf(bank_code)
  if (bin === null) throw new RangeError(`no transfer by QR can be addressed to bank ${bank_code}`)
  if (!ACCOUNT.test(account_number)) throw new RangeError('not an account number')
  if (amount !== undefined && !(Number.isSafeInteger(amount) && amount > 0 && amount < 1e13))
    throw new RangeError(`not an amount in whole dong: ${amount}`)
  const beneficiary = field('00', bin) + field('01', account_number)
  const account = field('00', 'A000000727') + field('01', beneficiary) + field('02', 'QRIBFTTA')
  const memo = content === undefined ? '' : plainContent(content)
  const text = [
    field('00', '01'),
    field('01', amount === undefined ? '11' : '12'),
    field('38', account),
    field('53', '704'),
    amount === undefined ? '' : field('54', String(amount)),
    field('58', 'VN'),
    memo === '' ? '' : field('62', field('08', memo)),
    '6304',
  ].join('')
  return text + crcOf(text)
}
