// Tests: tests/unit/domain/vietqr/payload.test.ts
/** The six-digit NAPAS id of each bank, by our bank codes. Wallets and banks without one are missing. */
const BINS: Readonly<Record<string, string>> = {
  MB: '970422', VCB: '970436', TCB: '970407', ACB: '970416', BIDV: '970418', VIB: '970441', TPB: '970423', VPB: '970432',
  STB: '970403', CTG: '970415', VBA: '970405', SHB: '970443', MSB: '970426', OCB: '970448', HDB: '970437', CAKE: '546034',
  TIMO: '963388', EIB: '970431', SEAB: '970440', LPB: '970449', NAB: '970428', NCB: '970419', PVCB: '970412', SCB: '970429',
  ABB: '970425', BAB: '970409', KLB: '970452', VAB: '970427', VIETBANK: '970433', BVB: '970454', BAOVIET: '970438',
  PGB: '970430', GPB: '970408', SGB: '970400', VIKKI: '970406', MBV: '970414', CBB: '970444', VRB: '970421', COOP: '970446',
  IVB: '970434', PBVN: '970439', SHBVN: '970424', HSBC: '458761', WOO: '970457', UOB: '970458', CIMB: '422589',
  HLB: '970442', SC: '970410', UBANK: '546035', LIOBANK: '963369', KBANK: '668888', MOMO: '971025',
} // prettier-ignore

/** @returns null for a code that no QR transfer can be addressed to */
export const binOf = (bankCode: string): string | null => BINS[bankCode] ?? null
