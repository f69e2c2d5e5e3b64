import { expect } from 'chai'
import { orderIdOf } from '../../../../domain/notification/order-id.ts'
import { transactionDate } from '../../../../domain/notification/printed-time.ts'
import { read } from '../../../../domain/notification/reader.ts'
import type { Reading } from '../../../../domain/notification/reading.ts'
import { notifications, sameEvents, type CorpusEntry } from '../../../corpus/corpus.ts'

const arrival = new Date('2026-11-20T03:00:00Z')
const READ = new Set(['MB', 'VCB', 'TCB', 'ACB', 'BIDV', 'VIB'])

type Expected = NonNullable<CorpusEntry['expected']>
const money = ({ transaction_type, amount, currency, balance_after }: Expected | Reading) => ({
  transaction_type,
  amount,
  currency,
  balance_after,
})

const transactions = notifications.filter((entry) => entry.expected)
const ours = transactions.filter(({ bank, channel }) => bank && READ.has(bank) && channel !== 'email')

describe('the corpus of bank texts', () => {
  for (const entry of ours.filter(({ provenance }) => provenance !== 'synthetic'))
    it(`${entry.id}: ${entry.bank} ${entry.channel}, ${entry.provenance}, is read right`, () => {
      const { reading } = read(entry, arrival)
      expect(reading, entry.text).not.to.equal(null)
      expect(reading!.bank_code).to.equal(entry.bank)
      expect(money(reading!)).to.deep.equal(money(entry.expected!))
      expect(reading!.account_number).to.equal(entry.expected!.account_number)
      const printed = entry.expected!.transaction_date
      expect(transactionDate(reading!, arrival)).to.deep.equal({
        transaction_date: printed ? new Date(printed).toISOString() : arrival.toISOString(),
        transaction_date_source: printed ? 'printed' : 'arrival',
      })
    })

  it('names nearly every reference right, and invents none', () => {
    const right = ours.filter((entry) => {
      const found = read(entry, arrival).reading?.transaction_ref ?? null
      const allowed = [entry.expected!.transaction_ref, ...(entry.ref_any ?? [])]
      if (found !== null) expect(allowed, entry.id).to.include(found)
      return allowed.includes(found)
    })
    expect(right.length / ours.length).to.be.at.least(0.95)
  })

  it('has no text whose money is read wrongly: as it came, without sender and package, of whatever bank', () => {
    for (const entry of transactions)
      for (const incoming of [entry, { text: entry.text, title: entry.title }]) {
        const { reading } = read(incoming, arrival)
        if (!reading) continue
        expect(reading.bank_code, entry.id).to.equal(entry.bank)
        expect(money(reading), entry.id).to.deep.equal(money(entry.expected!))
      }
  })

  it('tells the bank by the text alone for every real SMS and push of the banks that are read', () => {
    const real = ours.filter(({ provenance }) => provenance === 'real')
    const named = real.filter(({ text, title }) => read({ text, title }, arrival).reading)
    expect(named.length).to.equal(real.length)
  })

  for (const entry of notifications.filter(({ expected }) => !expected))
    it(`${entry.id}: ${entry.tags?.join(', ')}, is no transaction`, () => {
      expect(read(entry, arrival).reading).to.equal(null)
      expect(read({ text: entry.text, title: entry.title }, arrival).reading).to.equal(null)
    })

  it('keeps for a later reader what moved money at a bank that has no layouts yet', () => {
    const others = transactions.filter(({ bank, channel }) => !(bank && READ.has(bank)) && channel !== 'email')
    const dropped = others.filter((entry) => read(entry, arrival).reason !== 'unparsed').map(({ id }) => id)
    expect(dropped).to.deep.equal(['c202']) // a bill's receipt without account and balance
  })

  it('finds the order code with its prefix', () => {
    const coded = ours.filter(({ order_code }) => /^[A-Z]{2,}\d+$/.test(order_code ?? ''))
    expect(coded).not.to.have.lengthOf(0)
    for (const entry of coded) {
      const prefix = entry.order_code!.replace(/\d.*/, '')
      const { reading } = read(entry, arrival)
      expect(orderIdOf(reading!.content, entry.text, ['DH', prefix])).to.deep.equal({
        order_id: entry.order_code,
        prefix,
      })
    }
  })

  for (const { id, case: name, notifications: texts, expected } of sameEvents)
    it(`${id}: ${name}: every text is read, with its order id`, () => {
      texts.forEach((incoming, place) => {
        const { reading } = read(incoming, arrival)
        expect(reading, incoming.text).not.to.equal(null)
        const wanted = expected[place]!
        const found = orderIdOf(reading!.content, incoming.text, ['DH'])?.order_id ?? null
        if ('order_id' in wanted || 'completes' in wanted)
          expect(found).to.equal(wanted.order_id ?? wanted.completes ?? null)
      })
    })
})
