import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import fc from 'fast-check'
import { BLOCK_CREDITS, SEGMENT_CREDITS, SEGMENTS } from '../../../../domain/credits/events.ts'
import { creditMarks, markOfCaptured, pack, unpack, type Remembered } from '../../../../domain/credits/mark.ts'
import { CreditMemory } from '../../../../domain/credits/memory.ts'
import { read } from '../../../../domain/reader/reader.ts'
import { comparable } from '../../../../domain/reader/references.ts'
import type { Incoming, Reading } from '../../../../domain/reader/reading.ts'

const ARRIVED = new Date('2026-11-20T03:00:00.000Z')

const readingOf = (incoming: Incoming): Reading => {
  const { reading } = read(incoming, ARRIVED)
  if (!reading) throw new Error(`not read: ${incoming.text}`)
  return reading
}

const vietcombank = (memo: string, { account = '0011000415567', amount = '150,000' } = {}): Reading =>
  readingOf({
    text: `SD TK ${account} +${amount}VND luc 20-11-2026 10:00:05. SD 222,772,047VND. Ref ${memo}`,
    sender: 'Vietcombank',
  })

describe('the mark of a credit', () => {
  const first = creditMarks(vietcombank('MBVCB.911539506.DH1042'))

  it('depends only on its reference, amount and account', () => {
    expect(first).to.have.length(1)
    expect(creditMarks(vietcombank('MBVCB 911539506 DH1055'))).to.deep.equal(first)
    expect(creditMarks(vietcombank('MBVCB.911539507.DH1042'))).to.not.deep.equal(first)
    expect(creditMarks(vietcombank('MBVCB.911539506.DH1042', { amount: '150,001' }))).to.not.deep.equal(first)
    expect(creditMarks(vietcombank('MBVCB.911539506.DH1042', { account: '0011000415568' }))).to.not.deep.equal(first)
  })

  it('is the same if the account is masked', () => {
    expect(creditMarks(vietcombank('MBVCB.911539506.DH1042', { account: '0011xxxx5567' }))).to.deep.equal(first)
  })

  it('requires a reference that the bank assigns to each movement', () => {
    for (const memo of ['DH1042', 'Trace 245060 DH1042', 'So GD: 12345678 DH1042', 'Ma giao dich: HD12345678 DH1042'])
      expect(creditMarks(vietcombank(memo)), memo).to.deep.equal([])
  })

  it('can be computed again from a captured transaction, for every text of the corpus', () => {
    const lines = readFileSync(new URL('../../../corpus/notifications.jsonl', import.meta.url), 'utf8')
      .trim()
      .split('\n')
    let marked = 0
    for (const line of lines) {
      const { text, title, sender, package: app, from, subject } = JSON.parse(line) as Incoming
      const { reading } = read({ text, title, sender, package: app, from, subject }, ARRIVED)
      if (!reading) continue
      const [mark = null] = creditMarks(reading)
      // The payer may have written it behind the memo. The event does not show that, but no later credit is compared by it.
      const [{ kind, value } = { kind: '', value: '' }] = reading.references
      if (kind === 'Ma tham chieu' && value === comparable(reading.transaction_ref ?? '')) {
        expect(mark, text).to.equal(null)
        continue
      }
      expect(markOfCaptured(reading), text).to.equal(mark)
      if (mark !== null) marked++
    }
    expect(marked).to.be.greaterThan(20)
  })
})

const remembered: fc.Arbitrary<Remembered> = fc.record({
  mark: fc.integer({ min: 0, max: 2 ** 48 - 1 }),
  transaction_id: fc.integer({ min: 1, max: 2 ** 48 - 1 }),
})

const unpacked = (packed: string): Remembered[] => {
  const credits: Remembered[] = []
  unpack(packed, (mark, transaction_id) => credits.push({ mark, transaction_id }))
  return credits
}

describe('packed credits', () => {
  it('take 16 bytes each, and are the same after unpacking', () =>
    fc.assert(
      fc.property(fc.array(remembered), (credits) => {
        const packed = pack(credits)
        expect(packed).to.have.length(16 * credits.length)
        expect(unpacked(packed)).to.deep.equal(credits)
      }),
    ))
  it('are empty if the text is broken', () => expect(unpacked('AAAA')).to.deep.equal([]))
  it('are limited to a million per account', () => {
    expect(SEGMENTS * SEGMENT_CREDITS).to.equal(1_000_000)
    expect(BLOCK_CREDITS * 16).to.be.at.most(65_536)
  })
})

describe('the credit memory of an account', () => {
  it('returns the first transaction of each mark, and null for an unknown mark', () =>
    fc.assert(
      fc.property(fc.array(remembered, { maxLength: 300 }), remembered, (credits, other) => {
        const memory = new CreditMemory()
        const expected = new Map<number, number>()
        credits.forEach((credit, n) => {
          memory.see({ segment: Math.floor(n / 40), credits: pack([credit]) })
          if (!expected.has(credit.mark)) expected.set(credit.mark, credit.transaction_id)
        })
        for (const { mark } of [...credits, other]) expect(memory.firstOf(mark)).to.equal(expected.get(mark) ?? null)
      }),
    ))

  it('drops the oldest segments', () => {
    const memory = new CreditMemory()
    for (let segment = 0; segment < 40; segment++)
      memory.see({ segment, credits: pack([{ mark: segment, transaction_id: segment + 1 }]) })
    expect(memory.size).to.equal(SEGMENTS)
    expect(memory.firstOf(40 - SEGMENTS - 1)).to.equal(null)
    expect(memory.firstOf(40 - SEGMENTS)).to.equal(40 - SEGMENTS + 1)
    // A late block of a dropped segment changes nothing.
    memory.see({ segment: 3, credits: pack([{ mark: 3, transaction_id: 4 }]) })
    expect(memory.firstOf(3)).to.equal(null)
  })

  it('finds every mark in a full segment', () => {
    const memory = new CreditMemory()
    const credits = Array.from({ length: SEGMENT_CREDITS }, (_, n) => ({
      mark: (n * 7_919_111_317) % 2 ** 48,
      transaction_id: n + 1,
    }))
    for (let from = 0; from < credits.length; from += BLOCK_CREDITS)
      memory.see({ segment: 0, credits: pack(credits.slice(from, from + BLOCK_CREDITS)) })
    expect(memory.size).to.equal(SEGMENT_CREDITS)
    for (const { mark, transaction_id } of credits) expect(memory.firstOf(mark)).to.equal(transaction_id)
  })
})
