import { expect } from 'chai'
import { banks } from '../../../../domain/banks/index.ts'
import { compilePattern } from '../../../../domain/reader/pattern.ts'

const groups = (pattern: string, shadow: string) => compilePattern(pattern).expression.exec(shadow)?.groups

describe('the pattern language of layouts', () => {
  it('accepts a line end for a blank, and no blank before a field', () => {
    for (const text of ['tk 0011 luc', 'tk\n0011 luc', 'tk0011 luc'])
      expect(groups('TK {account} luc', text)?.account, text).to.equal('0011')
    expect(groups('SD TK {account}', 'sdtk 0011')).to.equal(undefined)
  })

  it('must match the whole text, except a header without digits', () => {
    expect(groups('TK {account}', 'thong bao: tk 0011')?.account).to.equal('0011')
    expect(groups('TK {account}', 'mb bank • 5 phut\ntk 0011')?.account).to.equal('0011')
    expect(groups('TK {account}', 'tra 5 tk 0011')).to.equal(undefined)
    expect(groups('TK {account}', 'tk 0011 va')).to.equal(undefined)
    expect(groups('TK {account}', 'stk 0011')).to.equal(undefined)
  })

  it('has optional parts and alternatives', () => {
    for (const text of ['tk 0011 so du: 5d', 'tk 0011. sd: 5d', 'tk 0011'])
      expect(groups('TK {account}[. <So du/SD>: {balance}]', text)?.account, text).to.equal('0011')
  })

  it('requires a sign or a word of direction before an amount', () => {
    const amount = (text: string) => groups('PS {amount}', text)
    expect(amount('ps +1,000vnd')).to.include({ amount: '1,000', amount_unit: 'vnd' })
    expect(amount('ps giam(-) 1,000 vnd')).to.include({ minus: 'giam(-)', amount: '1,000' })
    expect(amount('ps - vnd 1,000 x')).to.equal(undefined)
    expect(amount('ps 1,000vnd')).to.equal(undefined)
  })

  it('keeps the first word of a memo if it looks like a currency', () => {
    const pattern = 'SD: {balance:bare}[~{content}]'
    expect(groups(pattern, 'sd: 5,000\nvnd_tgtt')).to.include({ balance: '5,000', content: 'vnd_tgtt' })
    expect(groups(pattern, 'sd: 5,000 d 10')).to.include({ balance: '5,000', content: 'd 10' })
    expect(groups(pattern, 'sd: 5,000.45678901')).to.include({ balance: '5,000', content: '45678901' })
  })

  it('never matches part of a cut number', () => {
    for (const text of ['sd: 222,772...', 'sd: 222,772', 'sd: 222,'])
      expect(groups('SD: {balance}[. ND: {content}]', text), text).to.equal(undefined)
    expect(groups('SD: {balance:bare}[~{content}]', 'sd: 222,772...')).to.equal(undefined)
  })

  it('keeps the dots at the end of a memo, also before a label', () => {
    expect(groups('ND: {content}', 'nd: dh10...')?.content).to.equal('dh10...')
    expect(groups('ND: {content}[~Ma: {ref}]', 'nd: dh10...\nma: ab12')).to.include({ content: 'dh10...', ref: 'ab12' })
    for (const pattern of ['[ND: {content}][~Ma: {ref}]', '[ND: {content}.]~Ma: 1', 'ND: {content}. Ma: 1'])
      expect(groups(pattern, `nd: dh10...${pattern.endsWith('1') ? '\nma: 1' : ''}`)?.content).to.equal('dh10...')
    const sentence = compilePattern('ND: {content}', 'anywhere').expression
    for (const behind of ['', '.', '\nso du', ' so du'])
      expect(sentence.exec(`nd: dh10...${behind}`)?.groups?.content, behind).to.match(/^dh10\.{3}/)
  })

  it('provides a word that every text of a layout contains', () => {
    expect(compilePattern('[Thoi gian: {date:HH:mm}~]TK {account}~Noi dung[ giao dich]: {content}').word).to.equal(
      'dung',
    )
  })

  it('refuses an unknown field', () => {
    expect(() => compilePattern('TK {acount}').expression).to.throw('{acount}')
  })

  it('is that of every layout and table of a bank', () => {
    for (const { layouts, tables } of banks)
      for (const { expression } of [...layouts.map(({ compiled }) => compiled), ...tables.map(({ labels }) => labels)])
        expect(expression).to.be.instanceOf(RegExp)
  })
})
