import { expect } from 'chai'
import { banks } from '../../../../domain/banks/index.ts'
import { compilePattern, GROUP_NAMES, type CompiledPattern } from '../../../../domain/reader/pattern.ts'

const valuesOf = (compiled: CompiledPattern, shadow: string) => {
  const match = compiled.match(shadow)
  return match ? Object.fromEntries(GROUP_NAMES.map((name) => [name, match.value(name)])) : undefined
}
const groups = (pattern: string, shadow: string) => valuesOf(compilePattern(pattern), shadow)

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
    const sentence = compilePattern('ND: {content}', 'anywhere')
    for (const behind of ['', '.', '\nso du', ' so du'])
      expect(valuesOf(sentence, `nd: dh10...${behind}`)?.content, behind).to.match(/^dh10\.{3}/)
  })

  it('provides words that every text of a layout contains', () => {
    const { words } = compilePattern(
      '[Thoi gian: {date:HH:mm}~]TK {account}~<PS/GD>: {amount}~Noi dung[ GD]: {content}. SD',
    )
    expect(words).to.deep.equal(['dung', 'noi', 'tk'])
  })

  it('knows the place of each value', () => {
    const match = compilePattern('TK {account}[. ND: {content}][~Ma: {ref}]').match('thong bao: tk 0011. nd: dh10')
    expect([match?.range('account'), match?.range('content'), match?.range('ref')]).to.deep.equal([
      [14, 18],
      [24, 28],
      undefined,
    ])
    expect([match?.range('balance'), match?.value('balance'), match?.value('header')]).to.deep.equal([
      undefined,
      undefined,
      'thong bao: ',
    ])
  })

  it('refuses an unknown field', () => {
    expect(() => compilePattern('TK {acount}').match('')).to.throw('{acount}')
  })

  it('is that of every layout and table of a bank', () => {
    for (const { layouts, tables } of banks) {
      for (const { compiled } of layouts) expect(compiled.match('')).to.equal(null)
      for (const { labels } of tables) expect(labels.expression).to.be.instanceOf(RegExp)
    }
  })
})
