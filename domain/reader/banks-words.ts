// Tests: tests/unit/domain/reader/order-id.test.ts
/** What banks and wallets write into a memo beside the payer's words. No order id begins there. */

/** Banks in interbank references: the first part of their SWIFT codes. */
const BANK_CODES =
  'abbk|ascb|bftv|bidv|bvbv|ebvi|gbnk|hdbc|icbv|klbk|lvbk|mcob|mscb|nama|nasc|nvba|orco|pgbl|sacl|sbit|seav|sgtt|shba|tpbv|vbaa|vcbc|vnac|vnib|vntt|vpbk|vtcb|wbvn'

/** References of banks and wallets, of random letters and digits. A prefix inside one is an accident. Each is masked with its label. */
const RANDOM_REFERENCES = new RegExp(
  [
    // NAPAS. BIDV: `-B2B020097042201010851412026Z48S930765`.
    '(?<![0-9a-z])(?:(?:b2b)?0200\\d{6}[0-9a-z]{14,34}|\\d{4}ibt\\d[0-9a-z]{8,14})(?![0-9a-z])',
    // NAPAS: a year's last digit, the day of the year, the payer's bank. Vietcombank: `6216VNIB02TFF7A9.`, `MBVCB.13818942280.6106BFTVG29DK69 E.`
    `(?<![0-9a-z])\\d{4}(?:${BANK_CODES})(?:[0-9a-z]{8}|[0-9a-z]{7}(?: [0-9a-z](?=\\.))?)(?![0-9a-z])`,
    // BIDV: `-CTLNHIDI000014950160814-1/1-CRE-002`.
    'ctlnhid[io]\\d{10,20}(?:- ?\\d/?\\d-(?:cre|pmt)-\\d{3})?',
    // VietinBank, before the payer's words: `So GD: 940A1860FAZW28LK`.
    '(?<![0-9a-z])\\d{3}a\\d{4}[0-9a-z]{6,18}(?![0-9a-z])',
    // VietinBank, as the first word: `922D6090212TQS41 IBFT SEVQR`.
    '^\\d{3}[a-z]\\d{4}[0-9a-z]{8}(?= )',
    // VietinBank: `CT DEN:284T2640DUE9EQUC DINH THI THU`.
    '\\bct d(?:en|i): ?\\d{3}[a-z]\\d{4}[0-9a-z]{6,18}(?![0-9a-z])',
    // ACB: `GD 6181SGTTH2MAPRUW 300626-21:14:53`.
    '\\bgd \\d{4}[0-9a-z]{8,14}(?= \\d{6}-\\d{2}:\\d{2}:\\d{2})',
    // ACB, if the payer's bank is Vietcombank: `tai ACB-GD-DASE555495-300626-21:04:39`.
    '\\bacb-gd-[0-9a-z]{4}\\d{6}(?=-\\d{6}-\\d{2}:\\d{2}:\\d{2})',
    // ACB, behind the words of its payers: `LE THI LAN CHUYEN KHOAN-021225-21:43:39 899185`. Another bank may cut it: `-201125-10:00`.
    '-\\d{6}-\\d{2}:\\d{2}(?::\\d{0,2})?(?!\\d)',
    // MB: `Ma GD ACSP/ az453273`, `MaGD ACSP/ W3939221`. It may break the text within this label.
    '\\bacsp ?/ ?[a-z](?:[a-z]\\d{6}|\\d{7})(?![0-9a-z])',
    // MB, before the words of a payer who scanned a QR code: its number, and the counter of MB's app or of a payment service. `Qacpvj2052 APPMB1 1 DH1042`,
    // `Qafmgq4306 SEPAY7974 1 DH1042`.
    '(?<![0-9a-z])q(?:[a-z]{5}\\d{4}|0[0-9a-z]{8}) {1,2}(?:[0-9a-z]{2,20}1 1|(?:sepay|casso)\\d{4}(?: \\d)?)(?![0-9a-z])',
    // Sacombank, behind the payer's words: `CKN 303549 iJHV5KN3 - LE THI LAN - Ngan hang`.
    '(?<![0-9a-z])ckn \\d{6}(?: [0-9a-z]{8})?(?= - )',
    // ZaloPay, before the payer's words. At MB: `ZION O5CH7J7Q10L7-DH1042. TU: ZION`.
    '(?<![0-9a-z])(?:zp7(?=\\d*[a-z])[0-9a-z]{9}|o5ch7[0-9a-z]{7})(?![0-9a-z])',
    // MoMo, behind the payer's words: `CHUYEN TIEN-OQCH0007OziG-MOMO108645217631MOMO`. And to an account of the payer's own.
    'chuyen tien[ -]oqch[0-9a-z]{8}(?![0-9a-z])(?:[ -]momo\\d{6,12}(?:momo)?)?',
    '(?<![0-9a-z])momo(?:-cashin-0\\d{9}-oqc[0-9a-z]{9}(?:-\\d{1,12})?| 0\\d{9} cashout(?![0-9a-z])(?: 0\\d{9} \\d{11,13})?)',
  ].join('|'),
  'g',
)

/**
 * A bank's words beside the payer's. Before them: `NHAN TU 0011004177 TRACE 560102 ND H2000`. Their last letter and the payer's first one are no
 * prefix. Another channel shows the payer's words only, so one payment could pay two orders. And words before a number of the bank's, which is no
 * id: `CT tu 0011004177 LE THI LAN toi 0451000287`, `Ma giao dich Trace448699 Trace 448699`, `GD 518683-052325 23:34:40`, `CK31310000806217 LE THI LAN`.
 * `FT25321859460704` for the prefix T2, `NG CHUYEN:CUSTOMER 0966579217`. And words that look like an id without a number: `; tai Napas` for the prefix
 * NAP.
 */
const LABEL_OF_WORDS = new RegExp(
  [
    '^nhan tu [0-9a-z]{4,24} trace \\d{4,12} nd(?= )',
    'nd(?<=, tai [a-z ]{2,30}\\. nd)(?= )',
    'tu(?<=\\bct tu)(?= \\d{9,19} )',
    '(?<![0-9a-z])mbvcb(?= ?\\d)',
    'nhanh(?<=\\bct nhanh)(?= 247 den:)',
    '\\bnapas\\b',
    '^ck(?=(?!20[23])\\d{3}[12]0\\d{9} )',
    'toi(?<=\\bct tu \\d{9,19} [^.\\n]{2,60} toi)(?= ?\\d{6,19}(?!\\d))',
    'gd(?<=\\bgd)(?= \\d{6}-\\d{6} \\d{2}:\\d{2}:\\d{2})',
    // MB may break the text within the label: `Ma gia o dich/ Trace 401309`. Older texts have none: `CUSTOMER DH1042 Trace 985625`.
    'trace(?<=\\bma ?g ?i ?a ?o ?d ?i ?c ?h[ /]{0,3}(?:trace ?\\d{4,12} )?trace)(?= ?\\d{4,12}(?![0-9a-z]))',
    'trace(?= ?\\d{6}$)(?<=^customer [^\\n]{0,200}trace)',
    'customer(?<=\\bng chuyen: ?customer)(?= \\d)',
    '(?<![0-9a-z])ft(?=\\d{9})',
  ].join('|'),
  'g',
)

const masked = (found: string): string => '.'.repeat(found.length)

/** @param shadow  of a memo @returns the same with dots in place of these words. The length stays the same. */
export const withoutBanksWords = (shadow: string): string =>
  shadow.replace(RANDOM_REFERENCES, masked).replace(LABEL_OF_WORDS, masked)
