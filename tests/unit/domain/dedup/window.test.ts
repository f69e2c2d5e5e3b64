import { expect } from 'chai'
import fc from 'fast-check'
import { DedupWindow } from '../../../../domain/dedup/window.ts'
import type { NotificationSeen } from '../../../../domain/dedup/events.ts'
import { verdictOn, type Verdict } from '../../../../domain/dedup/verdict.ts'
import { repetitions } from '../../../harness/repetitions.ts'
import { isPush, judge, push, sighting, sms, url, type Described } from './sightings.ts'

const DAY = 86_400

const described: fc.Arbitrary<Described> = fc
  .record({
    make: fc.constantFrom(sms, push, url),
    at: fc.integer({ min: 0, max: 900 }),
    amount: fc.constantFrom('100000.00', '150000.00'),
    balance: fc.constantFrom(null, 7, 8),
    ref: fc.constantFrom([], ['FT:1'], ['FT:2', 'Trace:1']),
    order: fc.constantFrom(undefined, 'DH1', 'DH2'),
    time: fc.constantFrom(undefined, 5, 65),
    content: fc.constantFrom(undefined, 'a', 'b'),
  })
  .map(({ make, order, time, content, at, ...rest }) =>
    make({
      ...rest,
      arrives: at,
      ...(make === url ? {} : { stamp: at }),
      ...(order && { order }),
      ...(time && { time }),
      ...(content && { content }),
    }),
  )

/** Judges all notifications. @returns the event of each, as the id of its first notification */
const events = (all: readonly Described[]): number[] => {
  const window = new DedupWindow()
  return all.map((each, index) => {
    const verdict = judge(window, each, index + 1)
    return verdict.kind === 'new' ? index + 1 : verdict.event
  })
}

describe('notifications in any order', () => {
  it('belong to the same event if they are sent again at once (row 1)', () =>
    fc.assert(
      fc.property(fc.array(described, { maxLength: 25 }), fc.nat(), (all, pick) => {
        const stamped = all.filter(({ stamp }) => stamp !== null)
        if (stamped.length === 0) return
        const again = stamped[pick % stamped.length]!
        const placed = [...all, again]
        expect(events(placed).at(-1)).to.equal(events(all)[all.indexOf(again)])
      }),
    ))

  it('belong to the same event if they are sent again after a rollback', () => {
    const window = new DedupWindow()
    const [first, again] = [sms({ balance: 8 }), sms({ balance: 8, at: 6 })]
    judge(window, first, 1)
    const { size } = window
    for (let time = 0; time < 2; time++) {
      expect(judge(window, again, 2)).to.deep.equal({ kind: 'resend', of: 1, event: 1, isNewStamp: true })
      expect(judge(window, again, 2)).to.deep.equal({ kind: 'resend', of: 1, event: 1 })
      window.backTo(size)
    }
  })

  it('are not found after a rollback, even if one of them prints a reference twice', () => {
    const window = new DedupWindow()
    judge(window, sms({ ref: ['FT:1', 'FT:1'] }), 1)
    window.backTo(0)
    judge(window, push({ content: 'a' }), 2)
    const found: number[] = []
    window.walkReferences(window.probe(sighting(sms({ ref: 'FT:1' }))), (entry) => found.push(entry))
    expect(found).to.deep.equal([])
  })

  it('are no longer cut texts after a rollback', () => {
    const window = new DedupWindow()
    judge(window, sms({ text: 'TK 1 +150,000VND ND: NGUYEN VAN...' }), 1)
    expect(window.holdsCuts).to.equal(true)
    window.backTo(0)
    expect(window.holdsCuts).to.equal(false)
  })

  it('are not stored again if printed values show that they were sent again', () => {
    const window = new DedupWindow()
    judge(window, sms({ ref: 'FT:1' }), 1)
    expect(judge(window, sms({ ref: 'FT:1', at: 60 }), 2)).to.deep.equal({ kind: 'resend', of: 1, event: 1 })
  })

  it('agree within an event on amount, balance and FT reference, and on the order id unless balance and second are printed', () =>
    fc.assert(
      fc.property(fc.array(described, { maxLength: 30 }), (all) => {
        const of = new Map<number, Described[]>()
        events(all).forEach((event, index) => of.set(event, [...(of.get(event) ?? []), all[index]!]))
        for (const copies of of.values()) {
          expect(new Set(copies.map(({ amount }) => amount)).size).to.equal(1)
          expect(new Set(copies.map(({ balance }) => balance).filter((each) => each !== null)).size).to.be.at.most(1)
          const orders = new Set(copies.map(({ order }) => order).filter((each) => each !== undefined))
          const printsBalance = copies.some(({ balance }) => balance !== null)
          const printsSecond = copies.some(({ time }) => time !== undefined)
          if (!printsBalance || !printsSecond) expect(orders.size).to.be.at.most(1)
          const ft = copies.flatMap(({ ref }) => [ref ?? []].flat()).filter((each) => each.startsWith('FT:'))
          expect(new Set(ft).size).to.be.at.most(1)
        }
      }),
    ))

  it('form the same events if references bind them', () => {
    const bound = Array.from({ length: 5 }, (_, n) => [
      sms({ ref: `FT:${n}`, time: n, at: n, order: 'DH1' }),
      push({ ref: `FT:${n}`, time: n, at: n + 60 }),
      url({ ref: `FT:${n}`, arrives: n + 90 }),
    ]).flat()
    const shuffled = fc.shuffledSubarray(bound, { minLength: bound.length })
    fc.assert(
      fc.property(shuffled, (all) => {
        const found = events(all)
        all.forEach((each, a) =>
          all.forEach((other, b) => expect(found[a] === found[b]).to.equal(String(each.ref) === String(other.ref))),
        )
      }),
    )
  })

  it('are one event for each payment, although phones’ clocks are wrong and apps cut their pushes', () => {
    const payment = fc.record({
      after: fc.integer({ min: 1, max: 120 }),
      order: fc.constantFrom('DH1', 'DH2', undefined),
      isCut: fc.boolean(),
      late: fc.array(fc.integer({ max: 60, min: 0 }), { minLength: 4, maxLength: 4 }),
    })
    const clock = fc.constantFrom(0, 3_600, -5 * 3_600, 7 * 3_600)
    fc.assert(
      fc.property(
        fc.array(payment, { minLength: 1, maxLength: 5 }),
        clock,
        fc.boolean(),
        (payments, wrong, printsMinute) => {
          let at = 0
          const all = payments.flatMap(({ after, order, isCut, late }, n) => {
            at += after
            const paid = at
            const balance = 7 * (n + 1)
            const whole = {
              balance,
              content: `${n}`,
              ...(order && { order }),
              ...(printsMinute && { minute: paid - (paid % 60) }),
            }
            const cut = {
              text: `TK 123|GD: +150,000VND ${printsMinute ? whole.minute : ''}|SD: ${balance}...`,
              ...(printsMinute && { minute: paid - (paid % 60) }),
            }
            const ways = [
              sms(whole),
              push(isCut ? cut : whole),
              { ...whole, source: 'device-2:sms' },
              { ...whole, source: 'device-2:com.VCB' },
            ]
            return ways.map((way, index) => {
              const arrives = paid + late[index]!
              return { ...way, arrives, stamp: arrives + (index >= 2 ? wrong : 0) }
            })
          })
          const arrived = all.toSorted((one, other) => one.arrives - other.arrives)
          expect(new Set(events(arrived)).size).to.equal(payments.length)
        },
      ),
      { numRuns: repetitions(20_000, 100) },
    )
  })

  it('are one event for each payment, although a phone’s clock is hours behind and the other channel is late', () => {
    const payment = fc.record({
      after: fc.integer({ min: 1, max: 7_200 }),
      jitter: fc.integer({ min: 0, max: 25 }),
      late: fc.integer({ min: 0, max: 7_000 }),
    })
    const behind = fc.constantFrom(3_600, 5 * 3_600, 7 * 3_600)
    fc.assert(
      fc.property(fc.array(payment, { minLength: 1, maxLength: 5 }), behind, (payments, clock) => {
        const phone = { source: 'device-2:sms' }
        const before = [-9_000, -6_000].map((at) => ({ ...phone, balance: -at, stamp: at - clock, arrives: at + 3 }))
        let at = 0
        const all = payments.flatMap(({ after, jitter, late }, n) => {
          at += after
          const balance = 7 * (n + 1)
          return [
            { ...phone, balance, stamp: at - clock, arrives: at + jitter },
            { source: 'mailbox-1', balance, at: at + late },
          ]
        })
        const arrivesOf = (each: { arrives?: number; at?: number }): number => each.arrives ?? each.at!
        const arrived = all.toSorted((one, other) => arrivesOf(one) - arrivesOf(other))
        expect(new Set(events([...before, ...arrived])).size).to.equal(payments.length + before.length)
      }),
      { numRuns: repetitions(20_000, 100) },
    )
  })

  it('leave the deduplication window unchanged after a rollback', () =>
    fc.assert(
      fc.property(
        fc.array(described, { maxLength: 20 }),
        fc.array(described, { maxLength: 20 }),
        described,
        (kept, tried, probe) => {
          const [window, untouched] = [new DedupWindow(), new DedupWindow()]
          kept.forEach((each, n) => [window, untouched].forEach((one) => judge(one, each, n + 1)))
          const { size } = window
          tried.forEach((each, n) => judge(window, each, 1_000 + n))
          window.backTo(size)
          expect(window.size).to.equal(size)
          for (const each of [...tried, probe])
            expect(verdictOn(window, window.probe(sighting(each)), isPush(each))).to.deep.equal(
              verdictOn(untouched, untouched.probe(sighting(each)), isPush(each)),
            )
        },
      ),
    ))

  it('change no balance if they were only sent again, also when their events are folded', () => {
    const window = new DedupWindow()
    const other = sms({ balance: 7, order: 'DH2' })
    window.see({ ...sighting(sms({ balance: 8 })), transaction_id: 1, verdict: 'new', copy_of: null })
    window.see({ ...sighting(sms({ balance: 8, at: 6 })), transaction_id: 1, verdict: 'copy', copy_of: 1 })
    window.see({ ...sighting({ ...other, stamp: 3 }), transaction_id: 3, verdict: 'new', copy_of: null })
    expect(judge(window, { ...other, at: 9 }, 4)).to.include({ kind: 'resend', of: 3 })
  })

  it('give the same deduplication window when their events are folded', () =>
    fc.assert(
      fc.property(fc.array(described, { maxLength: 20 }), described, (all, next) => {
        const [decided, folded] = [new DedupWindow(), new DedupWindow()]
        all.forEach((each, n) => {
          const verdict: Verdict = judge(decided, each, n + 1)
          if (verdict.kind === 'resend' && !verdict.isNewStamp) return
          const seen: NotificationSeen = {
            ...sighting(each),
            ...(verdict.kind === 'resend'
              ? { transaction_id: verdict.of, verdict: 'copy', copy_of: verdict.of }
              : {
                  transaction_id: n + 1,
                  verdict: verdict.kind,
                  copy_of: verdict.kind === 'copy' ? verdict.event : null,
                }),
          }
          folded.see(JSON.parse(JSON.stringify(seen)) as NotificationSeen)
        })
        expect(judge(folded, next, 99)).to.deep.equal(judge(decided, next, 99))
      }),
    ))
})

describe('a deduplication window with many notifications', () => {
  const many = 5_000
  it('drops only notifications older than seven days', () => {
    const window = new DedupWindow()
    for (let n = 0; n < many; n++) judge(window, sms({ ref: `FT:${n}`, at: n < many * 0.6 ? n : 8 * DAY }), n + 1)
    const newest = window.probe(sighting(push({ ref: `FT:${many - 1}`, at: 8 * DAY })))
    window.dropExpired(Date.parse('2026-11-28T03:00:00.000Z'))
    expect(window.size).to.equal(many / 2)
    expect(verdictOn(window, newest, true)).to.deep.equal({ kind: 'copy', event: many })
  })

  describe('that are copies of few payments', () => {
    /** Counts the notifications that a verdict compares. */
    class Counting extends DedupWindow {
      compared: number[] = []
      override entriesOf(...asked: Parameters<DedupWindow['entriesOf']>): number[] {
        const entries = super.entriesOf(...asked)
        this.compared.push(entries.length)
        return entries
      }
    }
    const references = Array.from({ length: 20 }, (_, n) => `${n}:1`)

    /** @param ref  of the last notification of each payment, which comes behind all others */
    const windowOf = (payments: number, copies: number, ref: readonly string[], others = ref): Counting => {
      const window = new Counting()
      const add = (payment: number, n: number, shown: readonly string[]): void => {
        const each = { source: `device-${n % 32}:sms`, text: `${payment} ${n}`, ref: shown, at: n }
        window.add(payment * copies + n + 1, payment * copies + 1, window.probe(sighting(sms(each))))
      }
      for (let payment = 0; payment < payments; payment++) for (let n = 0; n < copies - 1; n++) add(payment, n, others)
      for (let payment = 0; payment < payments; payment++) add(payment, copies - 1, ref)
      return window
    }
    const late = { source: 'device-99:sms', at: 500 }

    it('compares each payment once, however many of its copies are found', () => {
      const window = windowOf(2, 100, references)
      const verdict = verdictOn(window, window.probe(sighting({ ...late, ref: references, text: 'x' })), false)
      expect(verdict).to.deep.equal({ kind: 'copy', event: 101 })
      expect(window.compared).to.deep.equal([100, 100])
    })

    it('compares a limited number of notifications, beginning with the newest payment', () => {
      const window = windowOf(120, 100, ['FT:1'], [])
      const verdict = verdictOn(window, window.probe(sighting({ ...late, ref: 'FT:1', text: 'x' })), false)
      expect(verdict).to.deep.equal({ kind: 'copy', event: 119 * 100 + 1 })
      expect(window.compared).to.have.length(41)
    })
  })

  it('drops nothing while at least half of it is newer', () => {
    const window = new DedupWindow()
    for (let n = 0; n < many; n++) judge(window, sms({ ref: `FT:${n}`, at: n }), n + 1)
    window.dropExpired(Date.parse('2026-11-27T03:00:00.000Z'))
    expect(window.size).to.equal(many)
    for (const n of [0, 1, many / 2, many - 1])
      expect(judge(window, push({ ref: `FT:${n}`, at: many }), many + 1 + n)).to.deep.equal({
        kind: 'copy',
        event: n + 1,
      })
  })

  it('drops none of this week because of one that stayed unread for longer and was then reread', () => {
    const window = new DedupWindow()
    for (let n = 0; n < many; n++) judge(window, sms({ ref: `FT:${n}`, arrives: n === many / 2 ? -8 * DAY : n }), n + 1)
    window.dropExpired(Date.parse('2026-11-20T06:00:00.000Z'))
    expect(judge(window, push({ ref: 'FT:1', at: many }), many + 1)).to.deep.equal({ kind: 'copy', event: 2 })
  })

  it('searches only the newest sources, so that an account with many phones costs no more', () => {
    const window = new DedupWindow()
    for (let phone = 1; phone <= 100; phone++)
      judge(window, sms({ source: `device-${phone}:sms`, balance: phone }), phone)
    judge(window, sms({ source: 'device-1:sms', balance: 101 }), 101)
    const visited: number[] = []
    window.walkOtherSources(window.probe(sighting(push())), (entry) => void visited.push(entry))
    expect(visited).to.include.members([0, 99, 100]).and.have.length.below(50)
  })

  it('searches a source once, however often it sends in turn with another one', () => {
    const window = new DedupWindow()
    for (let n = 0; n < 50; n++)
      judge(window, sms({ source: `device-${n % 2 ? 3 : n === 0 ? 1 : 2}:sms`, balance: n }), n + 1)
    const visited: number[] = []
    window.walkOtherSources(window.probe(sighting(push())), (entry) => void visited.push(entry))
    expect(visited.toSorted((a, b) => a - b)).to.deep.equal(Array.from({ length: 50 }, (_, n) => n))
  })

  it('still names the first notification of an event after that one is dropped', () => {
    const window = new DedupWindow()
    judge(window, sms({ ref: 'FT:1' }), 1)
    judge(window, push({ ref: 'FT:1', at: 5 * DAY }), 2)
    expect(judge(window, url({ ref: 'FT:1', arrives: 10 * DAY }), 3)).to.deep.equal({ kind: 'copy', event: 1 })
  })
})
