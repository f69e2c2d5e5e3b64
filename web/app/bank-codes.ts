// Tests: tests/unit/web/app/bank-codes.test.ts
/** The codes of banks and their names. A code is found by what people write: the code or the name, in letters of any kind, with or without "Bank" or "Ngân hàng". */
import { plainLetters } from './plain-letters.ts'

/** The code of each bank that the reader knows, with its name if that is another word. `OTHER` is that of all other banks. */
const BANKS =
  'MB MBBank, VCB Vietcombank, TCB Techcombank, ACB, BIDV, VIB, TPB TPBank, VPB VPBank, STB Sacombank, CTG VietinBank, VBA Agribank, SHB, MSB, OCB, HDB HDBank, CAKE, TIMO, EIB Eximbank, SEAB SeABank, NCB, PBVN Public Bank, PVCB PVcomBank, SCB, ABB ABBANK, VIETBANK, GPB GPBank, VIKKI Vikki Bank, VRB, IVB Indovina, SHBVN Shinhan, HSBC, UOB, MOMO, ZALOPAY, VIETTELPAY Viettel Money, LPB LPBank, NAB Nam A Bank, BAB Bac A Bank, KLB KienlongBank, VAB VietABank, BVB BVBank, BAOVIET BaoViet Bank, PGB PGBank, SGB SaigonBank, MBV, CBB VCBNeo, COOP Co-opBank, WOO Woori, CIMB, UBANK, LIOBANK, OTHER'

const keyOf = (text: string): string =>
  plainLetters(text)
    .replace(/[^a-z0-9]/g, '')
    .replace(/^nganhang|bank$/g, '')

const ALL = BANKS.split(', ').map((each) => {
  const code = each.split(' ', 1)[0]!
  return { code, name: each.slice(code.length + 1) }
})

const byKey = new Map(ALL.flatMap(({ code, name }) => [code, name].map((text) => [keyOf(text), code] as const)))
byKey.delete('')

/** @returns the code of the bank with this code or name; undefined if there is none */
export const bankCode = (text: string): string | undefined => byKey.get(keyOf(text))

/** @returns the name of the bank with this code; the code itself if the bank has no other name, or is unknown */
export const bankName = (code: string): string => ALL.find((each) => each.code === code)?.name || code

/** @param text  with commas between the banks; blanks are enough between codes @returns codes, and what names no bank as it is */
export const bankCodes = (text: string): string[] =>
  text.split(/[,;]/).flatMap((part) => {
    const whole = part.trim()
    const words = whole.split(/\s+/)
    const named = bankCode(whole) || !words.every(bankCode) ? [whole] : words
    return named.filter(Boolean).map((each) => bankCode(each) ?? each)
  })
