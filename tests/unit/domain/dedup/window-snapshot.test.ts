import { expect } from 'chai'
import { DedupWindow, fullPartsFor, partsFor, type WindowState } from '../../../../domain/dedup/window.ts'
import { verdictOn } from '../../../../domain/dedup/verdict.ts'
import type { NotificationSeen } from '../../../../domain/dedup/events.ts'
import { pseudoRandom } from '../../../harness/pseudo-random.ts'
import { sighting, type Described } from './sightings.ts'

const START = Date.parse('2026-11-20T03:00:00.000Z')

/** Notifications of many kinds, some of them sent again or copies. */
const described = (n: number): Described => ({
  at: n,
  source: n % 3 === 0 ? 'device-1:push:com.VCB' : `device-${n % 4}:sms`,
  amount: `${10_000 + (n % 700)}.00`,
  account: n % 5 === 0 ? null : `00110004${n % 300}`,
  balance: n % 7 === 0 ? null : 1_000_000 + (n % 1_900),
  ref: n % 2 === 0 ? [`FT:${n % 1_700}`, `TX:${n}`] : [],
  ...(n % 4 === 0 && { time: n }),
  ...(n % 6 === 0 && { order: `DH${n % 900}` }),
  ...(n % 9 === 0 && { content: `content ${n % 500}` }),
})

const seen = (n: number): NotificationSeen => {
  const at = { ...sighting(described(n)), transaction_id: n + 1, verdict: 'new', copy_of: null } as const
  // A resend of the notification before it, or a copy.
  if (n % 50 === 49) return { ...at, transaction_id: n, copy_of: n }
  return n % 11 === 10 ? { ...at, verdict: 'copy', copy_of: n } : at
}
/** The events of the stream, in its order. */
const SEEN = Array.from({ length: 9_000 }, (_, n) => seen(n))

const verdicts = (window: DedupWindow, upTo: number) =>
  Array.from({ length: 300 }, (_, k) => {
    const n = Math.floor((k * upTo) / 300)
    const late = { ...described(n), at: n + 30, source: k % 2 === 0 ? 'url' : described(n).source! }
    return verdictOn(window, window.probe(sighting(late)), false)
  })

/** As the store of snapshots keeps it. */
interface Kept {
  state: WindowState
  parts: Uint8Array[]
}

const save = (window: DedupWindow, before: Kept | null): Kept => {
  const state = structuredClone(window.snapshot())
  const parts = before ? before.parts.slice(0, fullPartsFor(before.state.size)) : []
  while (parts.length < partsFor(state.size)) parts.push(window.partOf(state.size, parts.length))
  return { state, parts }
}

const restore = async ({ state, parts }: Kept): Promise<DedupWindow> => {
  const window = new DedupWindow()
  const read = async function* () {
    yield* parts
  }
  for await (const _ of window.restore(state, read()));
  expect(window.size).to.equal(state.size)
  return window
}

const folded = (upTo: number): DedupWindow => {
  const window = new DedupWindow()
  for (const each of SEEN.slice(0, upTo)) window.see(each)
  return window
}

const expectEqual = (window: DedupWindow, upTo: number): void => {
  const expected = verdicts(folded(upTo), upTo)
  expect(new Set(expected.map(({ kind }) => kind)).size).to.equal(3)
  expect(verdicts(window, upTo)).to.deep.equal(expected)
}

describe('a snapshot of a deduplication window', () => {
  it('with the events after it gives the same as all events, whenever it was made and however often it was restored', async () => {
    const draw = pseudoRandom(20_261_125)
    for (let run = 0; run < 4; run++) {
      let window = new DedupWindow()
      let kept: Kept | null = null
      let upTo = 0
      for (let step = 0; step < 8; step++) {
        const next = upTo + 1 + draw(1_100)
        for (const each of SEEN.slice(upTo, next)) window.see(each)
        upTo = next
        // Decisions that were not stored.
        const { size } = window
        for (const each of SEEN.slice(upTo + 5, upTo + 5 + draw(40))) window.see(each)
        window.backTo(size)
        if (draw(10) < 6) kept = save(window, kept)
        // Another process reads the snapshot and the rest.
        if (kept && draw(2) === 0) {
          window = await restore(kept)
          for (const each of SEEN.slice(kept.state.size, upTo)) window.see(each)
        }
      }
      expect(window.size).to.equal(upTo)
      expectEqual(window, upTo)
    }
  })

  it('can be written while others join the window, and decisions are undone', async () => {
    const window = folded(3_000)
    const state = window.snapshot()
    const parts = [window.partOf(state.size, 0)]
    for (const each of SEEN.slice(3_000, 3_100)) window.see(each)
    parts.push(window.partOf(state.size, 1))
    window.backTo(3_050)
    for (const each of SEEN.slice(3_200, 3_300)) window.see(each)
    parts.push(window.partOf(state.size, 2))
    expectEqual(await restore({ state, parts }), 3_000)
  })

  it('keeps the marks of the newest texts, and whether texts were cut', async () => {
    const window = folded(3_000)
    const text =
      'So du tai khoan 0011000415567 thay doi +150000 VND luc 10:00 ngay 20-11, so du moi la 1150000 VND. Noi dung'
    const cut = { at: 3_000, source: 'device-9:sms', text: `${text.slice(0, 80)}...` }
    window.add(3_001, 3_001, window.probe(sighting(cut)))
    const whole = window.probe(sighting({ ...cut, at: 3_001, text: `${text} chuyen tien DH1042` }))
    const verdict = verdictOn(window, whole, false)
    expect(verdict.kind).to.equal('copy')
    const restored = await restore(save(window, null))
    expect(restored.holdsCuts).to.equal(true)
    expect(verdictOn(restored, whole, false)).to.deep.equal(verdict)
  })

  it('shows by its numbering that expired entries were dropped', async () => {
    const window = folded(5_000)
    const { numbering } = window
    window.dropExpired(START + 7.9 * 86_400_000)
    expect(window.size).to.equal(2_500)
    expect(window.numbering).not.to.equal(numbering)
    const restored = await restore(save(window, null))
    expect(verdicts(restored, 5_000)).to.deep.equal(verdicts(window, 5_000))
  })

  it('takes about as much memory when it is restored', async () => {
    const window = folded(9_000)
    expect((await restore(save(window, null))).bytes).to.be.within(window.bytes * 0.5, window.bytes)
  })

  it('is refused if its parts are not those of the window', async () => {
    const { state, parts } = save(folded(3_000), null)
    for (const wrong of [
      [parts[0]!, parts[1]!.subarray(0, 1_000), parts[2]!],
      [parts[0]!, parts[2]!, parts[1]!],
      [...parts, parts[2]!],
      parts.slice(0, 2),
      [new Uint8Array(parts[0]!.length + 20), parts[1]!, parts[2]!],
    ])
      expect(await restore({ state, parts: wrong }).then(String, (error: Error) => error.name)).to.equal('RangeError')
  })
})
