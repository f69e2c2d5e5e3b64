import { expect } from 'chai'
import { findReferences } from '../../../../domain/reader/references.ts'

const best = (memo: string) => findReferences(memo, null).best

describe('references in a memo', () => {
  it('are recognized by shape or label, and kept as printed', () => {
    const examples: Record<string, string> = {
      '292017.261220.094610.ALIKEHQ5PT6A': '292017.261220.094610',
      'MBVCB.911539506.048292.CT tu 001': 'MBVCB.911539506',
      'MBVCB 969666571 088129': 'MBVCB 969666571',
      'chuyen tien - Ma giao dich/ Trace 558880': '558880',
      'Chuyen tien- Ma GD ACSP/ az453273': 'az453273',
      'Chuyen tien- Ma GD ACSP / az453273': 'az453273',
      'chuyen tien FT24150123456789': 'FT24150123456789',
      'chuyen tien#SP#020097042204051153162026A3UR251905.5189': '020097042204051153162026A3UR251905',
      'chuyen tien -CTLNHIDI000014950160814-1/1': 'CTLNHIDI000014950160814',
      'PNHN1234 10000 GD 6256ABT1AJQYKLVM 130926-13:37:09': '6256ABT1AJQYKLVM',
      'ncc ck. Ma tham chieu 970425': '970425',
    }
    for (const [memo, reference] of Object.entries(examples)) expect(best(memo), memo).to.equal(reference)
  })

  it('prefer the one of the receiving bank over the one of the sender', () => {
    expect(best('MBVCB.15295363489.469132.x- Ma GD ACSP/ mw469132')).to.equal('mw469132')
    expect(findReferences('MBVCB.1', '083OCWK').best).to.equal('083OCWK')
  })

  it('include the payer’s own, if another channel may show no other', () => {
    const values = (memo: string) => findReferences(memo, null).all.map(({ value }) => value)
    expect(values('NHAN TU 001 TRACE 560102 ND DH1042 Trace 448699 Trace 999999')).to.deep.equal(['560102', '448699'])
    expect(values('GD AAAA11 201126 09:00:00 GD BBBB22 201126 09:00:00 GD CCCC33 201126-09:00:00')).to.deep.equal([
      'CCCC33',
      'AAAA11',
    ])
  })

  it('are compared without case and separators', () => {
    const values = ['MBVCB.911', 'mbvcb 911', 'MBVCB911'].map(
      (memo) => findReferences(`${memo} 0001`, null).all[0]?.value,
    )
    expect(new Set(values)).to.deep.equal(new Set(['MBVCB911']))
  })

  it('are not found in text that people write', () => {
    for (const memo of ['DH1042', 'chuyen tien', 'phong 305', '0912345678', 'Trace 4 48699', '12.34.56', '45678901'])
      expect(best(memo), memo).to.equal(null)
  })
})
