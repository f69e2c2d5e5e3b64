import { expect } from 'chai'
import { findOrderId, orderIdOf } from '../../../../domain/reader/order-id.ts'
import { orderIds } from '../../../corpus/corpus.ts'

describe('order ids', () => {
  for (const { id, case: name, content, prefixes, order_id, prefix } of orderIds)
    it(`are found as expected in case ${id}: ${name}`, () => {
      expect(findOrderId(content, prefixes)).to.deep.equal(order_id === null ? null : { order_id, prefix })
    })

  const found = (content: string, ...prefixes: string[]) => findOrderId(content, prefixes)?.order_id ?? null

  it('are found for prefixes in any case', () => {
    expect(findOrderId('x1y 55', ['x1Y'])).to.deep.equal({ order_id: 'X1Y55', prefix: 'X1Y' })
  })

  it('lose a memo word only if it directly follows digits', () => {
    expect(found('DH1042CK', 'DH')).to.equal('DH1042')
    expect(found('DH1042TTDONHANG', 'DH')).to.equal('DH1042')
    expect(found('DH1042Trace448699', 'DH')).to.equal('DH1042')
    expect(found('DH1042GD6256IBT1', 'DH')).to.equal('DH1042')
    expect(found('DH24TT9', 'DH')).to.equal('DH24TT9')
    expect(found('SHOPCK1', 'SHOP')).to.equal('SHOPCK1')
  })

  it('end at a letter with diacritics', () => {
    expect(found('DH1042đã chuyển', 'DH')).to.equal('DH1042')
  })

  it('are found after decorations of a payer, which an SMS does not show', () => {
    for (const memo of ['DH1️⃣0️⃣4️⃣2️⃣', 'D̶H̶1̶0̶4̶2̶', 'DH①⓪④②', 'DH１０４２', 'DH–1042', 'D\u200bH10\u00ad42'])
      expect(found(memo, 'DH'), memo).to.equal('DH1042')
  })

  it('are ignored before characters that look like more of them', () => {
    for (const memo of ['DH10٤٢', 'DH10४2', 'DH10❷', 'DH10О2', 'DH1042А', 'DH10Ο'])
      expect(found(memo, 'DH'), memo).to.equal(null)
    expect(found('DH1042支付', 'DH')).to.equal('DH1042')
  })

  it('are ignored at a cut, and no other token replaces them', () => {
    expect(found('AB123 mua DH10...', 'DH')).to.equal(null)
    expect(found('AB123 mua SHOPX~', 'SHOP')).to.equal(null)
    expect(found('DH12 va DH10...', 'DH')).to.equal('DH12')
    expect(found('AB123...')).to.equal(null)
    expect(found('AB123 cam on nhi...', 'DH')).to.equal('AB123')
    expect(found('DH1042FT24150123456789...', 'DH')).to.equal('DH1042')
  })

  it('are not found inside a reference made of random characters', () => {
    expect(found('020097042204051153162026DH251905.5189.94571.DH1042', 'DH')).to.equal('DH1042')
    expect(found('6181DH5IBT1DH77ABCDEF', 'XX')).to.equal(null)
    expect(found('So GD: 940A1860FADH28LK DH1042 tai iPay', 'DH')).to.equal('DH1042')
    expect(found('So GD: 124A2210XKCSDH6FBPO7426. 1 BPO8114.1 DH1042 ~', 'DH')).to.equal('DH1042')
    for (const label of ['CT DEN:', 'CT DI: ']) {
      expect(found(`${label}284T2640DDH9EQUC LE THI LAN Chuyen tien`, 'DH'), label).to.equal(null)
      expect(found(`${label}284T2640DDH9EQUC LE THI LAN DH1042; tai Napas`, 'DH'), label).to.equal('DH1042')
    }
    expect(found('Tra no -B2B0200970436030119274320260BDH091362', 'DH'), 'from a company’s bank').to.equal(null)
    expect(found('Tra no DH1042 -B2B0200970436030119274320260BDH091362', 'DH')).to.equal('DH1042')
    expect(found('tu 1742365796702DH1042', 'DH'), 'behind an account').to.equal('DH1042')
    expect(found('GD 6181SGTTH2MAPRUW 300626-21:14:53', 'TH')).to.equal(null)
    expect(found('AN chuyen tien- Ma GD ACSP/ dh453273', 'DH')).to.equal(null)
    expect(found('mua hang GD DH1042 300626-21:14:53', 'DH'), 'the words of a payer').to.equal('DH1042')
    expect(found('AN chuyen tien- Ma GD ACSP / dh453273', 'DH'), 'in a label that MB broke').to.equal(null)
    expect(found('AN chuyen tien -CTLNHIDI000014950160814-1/1-CRE-002', 'RE'), 'behind one').to.equal(null)
    expect(found('AN chuyen tien RE1042 -CTLNHIDI000014950160814-1/1-CRE-002', 'RE')).to.equal('RE1042')
  })

  it('are not found inside the reference of an interbank transfer, which contains the code of the payer’s bank', () => {
    for (const bank of ['BFTV', 'BIDV', 'ICBV', 'ASCB', 'VNIB', 'SGTT', 'MCOB', 'NAMA']) {
      expect(found(`6216${bank}02DH7A9X.LE THI LAN chuyen tien.20260804`, 'DH'), bank).to.equal(null)
      expect(found(`6216${bank}02DH7A9X.DH1042.20260804`, 'DH'), bank).to.equal('DH1042')
    }
    for (const reference of ['6106BFTVG2DH69XE', '6106BFTVG2DH69X E', '6106BFTVG2DH69X']) {
      const vietcombank = (words: string) =>
        `MBVCB.13818942280.${reference}.${words}.CT tu 0531002582398 LE THI LAN toi 0451000287781`
      expect(found(vietcombank('LE THI LAN'), 'DH'), reference).to.equal(null)
      expect(found(vietcombank('DH1042'), 'DH'), reference).to.equal('DH1042')
    }
    expect(found('6216NAMADH1042', 'DH'), 'the words of a payer').to.equal('DH1042')
  })

  it('are not the number of the QR code that a payer of MB scanned, which is the same for every payment', () => {
    for (const code of ['Qabdhk2052 APPMB1 1', 'QABDHK2052  APPMB1 1', 'Q000dh1k5p LOTUSCAFE1 1']) {
      for (const prefix of ['DH', 'HK', 'MB', 'CAFE', 'K'])
        expect(found(`${code} LE THI LAN chuyen tien- Ma GD ACSP/ xr703682`, prefix), code).to.equal(null)
      expect(found(`${code} O5CH7J7Q13U5 DH1042`, 'DH'), code).to.equal('DH1042')
      expect(found(`${code} AB1042`, 'DH'), code).to.equal('AB1042')
    }
    for (const code of [
      'Qabdhk2052 SEPAY7315 1',
      'QABDHK2052  SEPAY7315 1',
      'Qabdhk2052  CASSO5216 4',
      'Qabdhk2052 SEPAY7315',
    ]) {
      for (const prefix of ['DH', 'HK', 'PAY', 'SEPAY', 'SO'])
        expect(found(`${code} 108449638088 LE THI LAN chuyen tien`, prefix), code).to.equal(null)
      for (const id of ['PAY1042', 'AB1042'])
        expect(found(`${code} 108449638088-${id}-CHUYEN TIEN`, 'PAY'), code).to.equal(id)
    }
    expect(found('Qabdhk2052 DH1042', 'DH'), 'the words of a payer').to.equal('DH1042')
  })

  it('are not the reference that ACB writes behind the payer’s words', () => {
    const vietcombank = (words: string) =>
      `MBVCB.14910026604.555495.${words}.CT tu 1014711850 LE THI LAN toi 50361307 TRAN VAN AN tai ACB-GD-DADH555495-300626-21:04:39`
    expect(found(vietcombank('LE THI LAN chuyen tien')), 'without a prefix').to.equal(null)
    expect(found(vietcombank('LE THI LAN chuyen tien'), 'DH')).to.equal(null)
    expect(found(vietcombank('DH1042'), 'DH')).to.equal('DH1042')
    expect(found(vietcombank('AB1042'), 'DH')).to.equal('AB1042')
    expect(found('mua hang GD-ABCD104212-300626-21:04:39 448699', 'ABCD'), 'the words of a payer').to.equal(
      'ABCD104212',
    )
    expect(found('GD 518683-052325 23:34:40', 'GD')).to.equal(null)
    expect(found('GD1042 GD 518683-052325 23:34:40', 'GD')).to.equal('GD1042')
    expect(found('GD 518683-300626-21:04:39 448699', 'GD'), 'the words of a payer').to.equal('GD518683')
  })

  it('do not go on in the time that ACB writes behind the words of its payers, which other banks show too', () => {
    const acb = (words: string) => [
      `${words}-021225-21:43:39 899185`,
      `CT DEN:420723414049 ${words}-250724-23:59:16 414049; tai Napas`,
    ]
    for (const prefix of ['AN', 'KHOAN'])
      for (const memo of acb('LE THI LAN CHUYEN KHOAN')) expect(found(memo, prefix), memo).to.equal(null)
    for (const memo of acb('thanh toan CK')) expect(found(memo, 'CK'), memo).to.equal(null)
    for (const id of ['CK1042', 'DH021225', 'DHABCD'])
      for (const memo of acb(id)) expect(found(memo, 'CK', 'DH', 'DHAB'), memo).to.equal(id)
    for (const memo of acb('AB1042')) expect(found(memo, 'DH'), memo).to.equal('AB1042')
    expect(found('DH-021225-21', 'DH'), 'the words of a payer').to.equal('DH021225')
  })

  it('are not the numbers that MoMo writes beside the payer’s words', () => {
    const momo = (words: string) => [
      `108645217631-${words}-CHUYEN TIEN-OQCH0007ODH4-MOMO108645217631MOMO`,
      `108645217631-${words}-CHUYEN TIEN-OQCH30426153-MOMO108645217631MOMO- Ma GD ACSP/ xr703682`,
      `108645217631 ${words} CHUYEN TIEN OQCH000GSHbS MOMO108645217631MOMO GD 5343IBT1dJ4S6T1Y 091225-17:45:33`,
      `NHAN TU 2281072020614 TRACE 602526 ND 108645217631 ${words} CHUYEN TIEN OQCH000GSHbS MOMO108645217`,
      `108645217631-${words}-CHUYEN TIEN-OQCH000GD8vj-MOMO`,
    ]
    for (const prefix of ['DH', 'CH', 'H', 'GD', 'MO', 'MOMO'])
      for (const memo of momo('LE THI LAN')) expect(found(memo, prefix), `${prefix}: ${memo}`).to.equal(null)
    for (const id of ['CH1042', 'MOMO1042'])
      for (const memo of momo(id)) expect(found(memo, 'CH', 'MOMO'), memo).to.equal(id)
    for (const memo of momo('AB1042')) expect(found(memo, 'DH'), memo).to.equal('AB1042')
    expect(found('chuyen tien OQCH1042', 'OQCH'), 'the words of a payer').to.equal('OQCH1042')
    for (const prefix of ['DH', 'IN', 'NS', 'CASHIN'])
      expect(found('MOMO-CASHIN-0912345678-OQCIOhEvYqNS-71705824493', prefix), 'to an account of one’s own').to.equal(
        null,
      )
    for (const end of ['', ' 0912345678 146081426274 - 10092026 02:03:14 426274'])
      for (const prefix of ['MOMO', 'UT', 'CASHOUT'])
        expect(found(`CTCP DI DONG CK, RUT TIEN TU VI MOMO 0912345678 CASHOUT${end}`, prefix), prefix).to.equal(null)
    expect(found('RUT TIEN TU VI MOMO 1042', 'MOMO'), 'the words of a payer').to.equal('MOMO1042')
  })

  it('are not the numbers that Sacombank writes behind the payer’s words', () => {
    for (const numbers of [
      'CKN 303549 iJDH5KN3 - LE THI LAN - Ngan hang TMCP',
      'CKN 283285 - MBBANK IBFT - Ngan hang',
    ]) {
      for (const prefix of ['DH', 'CKN', 'KN'])
        expect(found(`LE THI LAN chuyen tien ${numbers}`, prefix), numbers).to.equal(null)
      for (const id of ['DH1042', 'CKN1042']) expect(found(`${id} ${numbers}`, 'DH', 'CKN'), numbers).to.equal(id)
    }
    expect(found('CKN 303549', 'CKN'), 'the words of a payer').to.equal('CKN303549')
  })

  it('are not the number that ZaloPay writes before the payer’s words', () => {
    for (const number of ['ZP253370434996', 'ZP7CDH3US6UO', 'ZP74EU33DH9G']) {
      for (const prefix of ['DH', 'US']) expect(found(`${number} SEVQR LE THI LAN`, prefix), number).to.equal(null)
      for (const id of ['DH1042', 'AB1042']) expect(found(`${number} ${id}`, 'DH'), number).to.equal(id)
    }
    for (const memo of [
      'ZION O5CH7J7DH0L7-',
      'ZION ZALOPAY-CHUYENTIEN-O5CH7DH2U0F8-',
      'ZION Qacpvj2052 APPMB1 1 O5CH7J7DH3U5 ',
    ]) {
      for (const prefix of ['DH', 'CH', 'NO', 'H'])
        expect(found(`${memo}LE THI LAN. TU: ZION`, prefix), memo).to.equal(null)
      for (const id of ['CH1042', 'AB1042']) expect(found(`${memo}${id}. TU: ZION`, 'CH'), memo).to.equal(id)
    }
    expect(found('ZP104200000042 mua hang'), 'no day of a year').to.equal('ZP104200000042')
    for (const id of ['ZP251120001042', 'ZP1042', 'ZP7104200000', 'ZP7A9'])
      expect(found(`${id} mua hang`, 'ZP'), 'the words of a payer').to.equal(id)
  })

  it('do not begin in words of the bank before a number of its own', () => {
    const vietcombank =
      'MBVCB.911539506.048292.LE THI LAN chuyen tien.CT tu 0011000415567 LE THI LAN toi 0451000287781 TRAN VAN AN'
    for (const prefix of ['TU', 'TOI', 'OI']) {
      expect(found(vietcombank, prefix), prefix).to.equal(null)
      expect(found(vietcombank.replace('chuyen tien', `${prefix}1042`), prefix)).to.equal(`${prefix}1042`)
      expect(found(`CT ${prefix}1042`, prefix), 'the words of a payer').to.equal(`${prefix}1042`)
    }
    expect(found('CT tu 1014711850 LE THI LAN toi 50361307 TRAN VAN AN tai ACB', 'TOI'), 'a short account').to.equal(
      null,
    )
    for (const memo of ['MBVCB82826102.LE THI LAN', 'MBVCB 969666571 088129 LE THI LAN'])
      expect(found(memo, 'VCB'), memo).to.equal(null)
    expect(found('CT nhanh 247 den: QR - LE THI LAN', 'NH'), 'a statement of VietinBank').to.equal(null)
    expect(found('CT nhanh 247 den: NH1042', 'NH')).to.equal('NH1042')
    expect(found('CT DEN:420723414049 LE THI LAN chuyen tien; tai Napas', 'NAP'), 'at VietinBank').to.equal(null)
    for (const id of ['NAP1042', 'NAPLAN', 'NAPASAB'])
      expect(found(`CT DEN:420723414049 ${id}; tai Napas`, 'NAP')).to.equal(id)
    expect(found('CK31310000806217 LE THI LAN Chuyen tien', 'CK'), 'the payer’s account at BIDV').to.equal(null)
    expect(found('CK31310000806217 LE THI LAN CK1042', 'CK')).to.equal('CK1042')
    for (const id of ['CK20251120143005', 'CK20310120143005', 'CK31310000806', 'CK1042'])
      expect(found(`${id} LE THI LAN Chuyen tien`, 'CK'), 'the words of a payer').to.equal(id)
    for (const trace of ['   Ma giao dich   Trace448699 Trace 448699', '- Ma giao dich/ Trace 448699'])
      for (const prefix of ['CE', 'ACE', 'TRACE']) {
        expect(found(`LE THI LAN chuyen tien${trace}`, prefix), prefix).to.equal(null)
        expect(found(`${prefix}1042${trace}`, prefix), prefix).to.equal(`${prefix}1042`)
      }
  })

  it('do not begin in the references of MB, VietinBank and Techcombank, also for prefixes that end in a digit', () => {
    for (const [memo, ...prefixes] of [
      ['LE THI LAN chuyen tien- MaGD ACSP/ A1939221', 'A1'],
      ['LE THI LAN chuyen tien FT25321859460704', 'T2'],
      ['LE THI LAN chuyen tien FT2525170330...', 'T2'],
      ['LE THI LAN chuyen khoan - Ma gia o dich/ Trace 401309', 'CE', 'ACE', 'TRACE'],
      ['CUSTOMER LE THI LAN Trace 985625', 'CE', 'ACE', 'TRACE'],
      ['LE THI LAN   Ma giao dich  Trace124745 Trace 124745 NG CHUYEN:CUSTOMER 0966579217', 'ER'],
      ['922D6090DH2TQS41 IBFT SEVQR LE THI LAN', 'DH'],
      ['CUSTOMER TRAN VAN AN-201125-10:00', 'AN'],
    ] as const)
      for (const prefix of prefixes) {
        expect(found(memo, prefix), memo).to.equal(null)
        for (const id of [`${prefix}1042`, `${prefix}20251120`])
          expect(found(memo.replace('LE THI LAN', id).replace('TRAN VAN AN', id), prefix), memo).to.equal(id)
      }
    expect(found('CUSTOMER 1042', 'ER'), 'the words of a payer').to.equal('ER1042')
    expect(found('GIFT123456789', 'GIFT'), 'the words of a payer').to.equal('GIFT123456789')
    expect(found('922D6090DH1042', 'DH'), 'the words of a payer').to.equal('DH1042')
  })

  it('do not begin in the bank’s words before the payer’s', () => {
    expect(found('NHAN TU 0011004177 TRACE 560102 ND H2000 DH1042', 'DH')).to.equal('DH1042')
    expect(found('MB-TKThe :3800100123450000, tai CoopBank. ND H2000 DH1042', 'DH')).to.equal('DH1042')
    for (const prefix of ['DH', 'TU', 'CE'])
      expect(found(`NHAN TU 0011004177 TRACE 560102 ND ${prefix}1042`, prefix)).to.equal(`${prefix}1042`)
    expect(found('ND H1042', 'NDH'), 'the words of a payer').to.equal('NDH1042')
  })

  it('are searched in the first 8,000 characters, and ignored at the end of these', () => {
    const memo = (before: number, id: string) => `${'a '.repeat(before / 2)}${id} ${'a '.repeat(10_000)}`
    expect(found(memo(7_990, 'DH1042'), 'DH')).to.equal('DH1042')
    expect(found(memo(7_996, 'DH1042 TEST1234'), 'DH'), 'DH10…').to.equal(null)
    expect(found(memo(8_000, 'DH1042'), 'DH')).to.equal(null)
    expect(found(`${'a '.repeat(3_000)}DH1042…`, 'DH')).to.equal(null)
  })

  it('take at most 10 ms for each text of 32 KB, with 20 prefixes that begin alike', () => {
    const prefixes = Array.from({ length: 20 }, (_, n) => `AAAAAAAAA${String.fromCharCode(65 + n)}`)
    let least = Infinity
    for (let run = 0; run < 20 && least > 4; run++) {
      const before = process.cpuUsage()
      findOrderId(`${'A '.repeat(16_000)}...`, prefixes)
      const { user, system } = process.cpuUsage(before)
      least = Math.min(least, (user + system) / 1_000)
    }
    expect(least, 'ms CPU').to.be.at.most(10)
  })

  it('are never a reference or an account if they have no prefix', () => {
    for (const content of [
      'Trace448699',
      'Ma GD ACSP/ az453273',
      'Ecom.EW23041745294945.MOMO',
      'CK31310000806217',
      'TK0011000415567',
      'CT tu xxxx5847 toi XXX0000000',
    ])
      expect(found(content, 'DH'), content).to.equal(null)
  })

  it('are searched in the whole text if there is no content, but only with a prefix', () => {
    expect(orderIdOf(null, 'Tai khoan 7213 phat sinh +5,000 d. DH1042', ['DH'])?.order_id).to.equal('DH1042')
    expect(orderIdOf(null, 'Tai khoan PNHN1234', ['DH'])).to.equal(null)
    expect(orderIdOf('PNHN1234', 'SD TK DH55', ['DH'])).to.deep.equal({ order_id: 'PNHN1234', prefix: null })
  })
})
