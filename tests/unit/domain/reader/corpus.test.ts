import { expect } from 'chai'
import { orderIdOf } from '../../../../domain/reader/order-id.ts'
import { read } from '../../../../domain/reader/reader.ts'
import { notifications, sameEvents } from '../../../corpus/corpus.ts'
import { ARRIVAL, codeOf, halfOf, moneyOf, scoreOf, type Money } from '../../../corpus/score.ts'

const transactions = notifications.filter((entry) => entry.expected)
const negatives = notifications.filter(({ expected }) => !expected)

/** Texts that state no direction, or no account. */
const LEFT = new Set(['c152', 'c202'])

describe('the corpus of bank texts', () => {
  for (const entry of transactions.filter(({ id, provenance }) => provenance !== 'synthetic' && !LEFT.has(id)))
    it(`${entry.id}: ${entry.bank} ${entry.channel}, ${entry.provenance}, is read correctly`, () => {
      const { reading, differs } = scoreOf(entry)
      expect(reading, entry.text).not.to.equal(null)
      expect(moneyOf(reading!)).to.deep.equal(moneyOf(entry.expected as Money))
      expect(differs).not.to.include.members(['bank'])
      expect(differs).not.to.include.members(['account'])
      expect(differs).not.to.include.members(['time'])
    })

  it('has no text whose money is read wrongly, even without a sender or with the name of another bank', () => {
    for (const entry of transactions)
      for (const incoming of [
        entry,
        { text: entry.text, title: entry.title },
        { text: entry.text, title: entry.title, sender: 'LPB' },
        { text: entry.text, title: entry.title, package: 'ops.namabank.com.vn' },
        { text: entry.text, from: 'someone@msb.com.vn' },
      ]) {
        const { reading } = read(incoming, ARRIVAL)
        if (!reading) continue
        const { balance_after, ...moved } = moneyOf(entry.expected as Money)
        expect(reading, entry.id).to.include(moved)
        // The label reader omits a balance that may be cut.
        expect(reading.read_by === 'labels' ? [balance_after, null] : [balance_after]).to.include(reading.balance_after)
      }
  })

  it('has no text that is still read after an app has joined it with another one, whose order id would get into its memo', () => {
    const texts = transactions.filter(({ channel, title }) => channel !== 'email' && !/\d/.test(title ?? ''))
    expect(texts).to.have.lengthOf.above(100)
    for (const entry of texts) {
      const other = entry.text.replace(/\d(?=\D*$)/, (digit) => (digit === '9' ? '8' : '9'))
      for (const text of [`${entry.text}\n${other}`, `${entry.text}\n\n${other}`])
        expect(read({ ...entry, text }, ARRIVAL).reading, text).to.equal(null)
    }
  })

  it('has no text that is read if another one of another size or direction follows in the next line', () => {
    const texts = transactions.filter(({ channel, title }) => channel !== 'email' && !/\d/.test(title ?? ''))
    for (const entry of texts) {
      const larger = entry.text.replace(/\d{1,3}(?=[.,]\d{3}(?!\d))/, ({ length }) => (length === 1 ? '98' : '9'))
      const opposite = entry.text.replace(/[+-](?=[ \dV])/, (sign) => (sign === '+' ? '-' : '+'))
      for (const other of [larger, opposite]) {
        if (other === entry.text) continue
        const text = `${entry.text}\n${other}`
        expect(read({ ...entry, text }, ARRIVAL).reading, text).to.equal(null)
      }
    }
  })

  it('has no text that is read if one of another bank follows in the next line, with its own order id', () => {
    const texts = transactions.filter(({ channel, expected }) => channel === 'sms' && expected!.account_number)
    const others = [
      'SD TK 0011000415567 +10,000VND luc 20-11-2026 09:00:05. SD 5,010,000VND. Ref DH2000',
      'TK 03xxx682|GD: +10,000VND 20/11/26 09:00|SD: 5,010,000VND|ND: DH2000',
      'TK1201xxx847 tai BIDV +10,000VND vao 09:00 20/11/2026. So du:5,010,000VND. ND: DH2000',
    ]
    for (const entry of texts)
      for (const other of others) {
        const text = `${entry.text}\n${other}`
        expect(read({ ...entry, text }, ARRIVAL).reading, text).to.equal(null)
      }
  })

  it('reads a text below a line that begins like it, such as a title, but not two texts below a line', () => {
    const text = 'Sacombank: 28/11/2026 09:00\nTK: 0601xx1234\nPS: +150,000 VND\nSo du kha dung: 1,150,000 VND\nDH1042'
    const other = text.replace('DH1042', 'DH1043')
    const contentOf = (given: string) => read({ text: given, sender: 'Sacombank' }, ARRIVAL).reading?.content
    expect(contentOf(text)).to.equal('DH1042')
    for (const title of ['Sacombank', 'Sacombank: Bien dong so du', 'Bien dong so du']) {
      expect(contentOf(`${title}\n${text}`), title).to.equal('DH1042')
      expect(contentOf(`${title}\n${text}\n${other}`), title).to.equal(undefined)
      // An app's template may have the text twice.
      expect(contentOf(`${title}\n${text}\n${text}`), title).to.match(/^DH1042(?!\d)/)
    }
  })

  it('has no text that is read if the next one of the account follows in the same line', () => {
    let joined = 0
    for (const entry of transactions) {
      const { amount, balance_after, transaction_type } = entry.expected!
      if (entry.channel === 'email' || /\d/.test(entry.title ?? '')) continue
      if (balance_after === null || balance_after === amount) continue
      const after = Number(balance_after) + (transaction_type === 'credit' ? 1 : -1) * Number(amount)
      const isBalance = (printed: string) => printed.replace(/[.,]/g, '') === String(Math.trunc(Number(balance_after)))
      const mark = entry.text.includes('.000') ? '.' : ','
      const other = entry.text.replace(/\d[\d.,]*\d/g, (printed) =>
        isBalance(printed) ? String(Math.trunc(after)).replace(/\B(?=(?:\d{3})+$)/g, mark) : printed,
      )
      const isRead = read({ ...entry, text: other }, ARRIVAL).reading?.balance_after === `${Math.trunc(after)}.00`
      if (other === entry.text || !isRead) continue
      for (const text of [`${entry.text} ${other}`, `${other} ${entry.text}`]) {
        const { reading } = read({ ...entry, text }, ARRIVAL)
        expect(reading, `${entry.id} ${text}`).to.equal(null)
      }
      joined += 1
    }
    expect(joined).to.be.above(60)
  })

  it('gives the right bank or none for every text', () => {
    for (const entry of transactions) {
      expect([codeOf(entry.bank), 'OTHER', undefined], entry.id).to.include(read(entry, ARRIVAL).reading?.bank_code)
      const bare = read({ text: entry.text, title: entry.title }, ARRIVAL).reading?.bank_code
      expect([codeOf(entry.bank), 'OTHER', undefined], entry.id).to.include(bare)
    }
  })

  for (const half of ['tuned', 'held out'] as const)
    it(`has at least 95 % of real transactions read and every other text ignored in the ${half} half`, () => {
      const real = transactions.filter((entry) => entry.provenance === 'real' && halfOf(entry) === half)
      expect(real).not.to.have.lengthOf(0)
      expect(real.filter((entry) => scoreOf(entry).score === 'right').length / real.length).to.be.at.least(0.95)
      for (const entry of negatives.filter((each) => halfOf(each) === half))
        expect(scoreOf(entry).score).to.equal('right')
    })

  it('has at least 97 % of all real transactions read', () => {
    const real = transactions.filter(({ provenance }) => provenance === 'real')
    expect(real.filter((entry) => scoreOf(entry).score === 'right').length / real.length).to.be.at.least(0.97)
  })

  it('has at least 95 % of references read correctly', () => {
    const known = transactions.map(scoreOf).filter(({ reading }) => reading)
    const right = known.filter(({ differs }) => !differs.includes('reference'))
    expect(right.length / known.length).to.be.at.least(0.95)
  })

  for (const entry of negatives)
    it(`${entry.id}: ${entry.tags?.join(', ')}, is not a transaction for any sender`, () => {
      for (const incoming of [entry, { text: entry.text, title: entry.title }, { text: entry.text, sender: 'LPB' }])
        expect(read(incoming, ARRIVAL).reading).to.equal(null)
    })

  it('keeps unread texts of transactions for a later reader', () => {
    const dropped = transactions.filter((entry) => {
      const { reading, reason } = read(entry, ARRIVAL)
      return !reading && reason !== 'unparsed'
    })
    expect(dropped.map(({ id }) => id)).to.deep.equal(['c202']) // the receipt of a bill, without account and balance
  })

  it('has every order code found with its prefix', () => {
    const coded = transactions.filter(
      (entry) => /^[A-Z]{2,}\d+$/.test(entry.order_code ?? '') && read(entry, ARRIVAL).reading,
    )
    expect(coded).not.to.have.lengthOf(0)
    for (const entry of coded) {
      const prefix = entry.order_code!.replace(/\d.*/, '')
      const { reading } = read(entry, ARRIVAL)
      expect(orderIdOf(reading!.content, entry.text, ['DH', prefix])).to.deep.equal({
        order_id: entry.order_code,
        prefix,
      })
    }
  })

  for (const { id, case: name, notifications: texts, expected } of sameEvents)
    it(`${id}: ${name}: has every text read with its order id`, () => {
      texts.forEach((incoming, index) => {
        const { reading } = read(incoming, ARRIVAL)
        expect(reading, incoming.text).not.to.equal(null)
        const wanted = expected[index]!
        const found = orderIdOf(reading!.content, incoming.text, ['DH'])?.order_id ?? null
        if ('order_id' in wanted || 'completes' in wanted)
          expect(found).to.equal(wanted.order_id ?? wanted.completes ?? null)
      })
    })
})
