// Tests: tests/unit/domain/reader/corpus.test.ts
/**
 * Banks that are known by name and have no layouts of their own yet. Their texts are read by labels (`label-reader.ts`). A bank
 * moves to its own file when it gets layouts.
 */
import { bank } from './bank.ts'

export const byLabelsOnly = [
  bank('LPB', 'LPBank', { senders: ['LPB'], packages: ['vn.com.lpb.lienviet24h'] }),
  bank('NAB', 'Nam A Bank', { packages: ['ops.namabank.com.vn'] }),
  bank('BAB', 'Bac A Bank', { packages: ['com.bab.retailUAT'] }),
  bank('KLB', 'KienlongBank', { packages: ['com.sunshine.ksbank'] }),
  bank('VAB', 'VietABank', { senders: ['VietABank'], packages: ['phn.com.vn.mb'] }),
  bank('BVB', 'BVBank', { packages: ['vn.banvietbank.mobilebanking'] }),
  bank('BAOVIET', 'BaoViet Bank', { packages: ['com.vnpay.bvbank'] }),
  bank('PGB', 'PGBank', { packages: ['pgbankApp.pgbank.com.vn'] }),
  bank('SGB', 'SaigonBank', { packages: ['com.vnpay.sgbank'] }),
  bank('MBV', 'MBV', { senders: ['MBV'], packages: ['com.vnpay.ocean'] }),
  bank('CBB', 'VCBNeo', { senders: ['VCBNeo', 'CBBank'], packages: ['cbbank.vn.mobile'] }),
  bank('COOP', 'Co-opBank', { packages: ['com.vnpay.coopbank'] }),
  bank('WOO', 'Woori', { packages: ['vn.com.woori.smart'] }),
  bank('CIMB', 'CIMB', { packages: ['vn.cimbbank.octo'] }),
  bank('UBANK', 'Ubank', { packages: ['vn.vpbank.ubank'] }),
  bank('LIOBANK', 'Liobank', { packages: ['com.ocb.liobank'] }),
]
