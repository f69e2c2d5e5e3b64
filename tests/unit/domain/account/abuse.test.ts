import { expect } from 'chai'
import { Usage, SLOT_MS, type SeenByAll } from '../../../../domain/account/abuse.ts'

const LIMITS = { perHour: 10, polls: 5, parallel: 3 }
const NOTHING_ELSE: SeenByAll = { calls: new Map(), run: null, overSeconds: [] }
const MINUTE = 60_000
const START = 1_000 * SLOT_MS

describe('usage of an account', () => {
  /** Makes calls in sequence, each ended before the next. @returns the verdicts */
  const calls = (usage: Usage, given: readonly (readonly [at: number, signature?: string])[]) =>
    given.map(([at, signature = '']) => {
      const verdict = usage.enter(signature, START + at)
      usage.leave()
      return verdict
    })
  const every = (ms: number, count: number, signature = '', from = 0) =>
    Array.from({ length: count }, (_, index) => [from + index * ms, signature] as const)

  describe('requests per hour', () => {
    it('are too many from the first one above the limit', () => {
      const verdicts = calls(new Usage(LIMITS), every(1_000, 11))
      expect(verdicts.slice(0, 10)).to.deep.equal(Array.from({ length: 10 }, () => null))
      expect(verdicts[10]).to.equal('requests_per_hour')
    })

    it('are counted over any 60 minutes, not by clock hour', () => {
      const usage = new Usage(LIMITS)
      expect(calls(usage, every(1_000, 10, '', 29 * MINUTE)).at(-1)).to.equal(null)
      expect(calls(usage, [[80 * MINUTE]])).to.deep.equal(['requests_per_hour'])
    })

    it('do not include requests that are an hour old', () => {
      const usage = new Usage(LIMITS)
      calls(usage, every(1_000, 10))
      expect(calls(usage, every(1_000, 10, '', 60 * MINUTE)).every((verdict) => verdict === null)).to.equal(true)
    })

    it('do not include requests that a clock counted while it was ahead', () => {
      const usage = new Usage(LIMITS)
      calls(usage, every(1_000, 6, '', 420 * MINUTE))
      usage.report(START + 421 * MINUTE)
      usage.reported({ ...NOTHING_ELSE, calls: new Map([[1_000 + 84, 9]]) })
      expect(calls(usage, every(1_000, 6)).at(-1)).to.equal(null)
      expect(calls(usage, every(1_000, 5, '', 10_000)).at(-1)).to.equal('requests_per_hour')
    })

    it('are counted during a report to other processes, and after it succeeds or fails', () => {
      for (const then of ['under way', 'done', 'failed'] as const) {
        const usage = new Usage(LIMITS)
        calls(usage, every(10, 6))
        const { calls: reported } = usage.report(START + 1_000)
        if (then === 'done') usage.reported({ ...NOTHING_ELSE, calls: reported })
        if (then === 'failed') usage.notReported()
        expect(calls(usage, every(10, 5, '', 1_500)), then).to.deep.equal([null, null, null, null, 'requests_per_hour'])
      }
    })

    it('include the requests that other processes saw', () => {
      const usage = new Usage(LIMITS)
      calls(usage, every(10, 1))
      usage.report(START + 1_000)
      usage.reported({
        ...NOTHING_ELSE,
        calls: new Map([
          [1_000, 9],
          [999, 1],
        ]),
      })
      expect(calls(usage, [[1_500]])).to.deep.equal(['requests_per_hour'])
    })
  })

  describe('polling', () => {
    it('is the same GET several times in a row, each less than 30 s after the previous one', () => {
      expect(calls(new Usage(LIMITS), every(29_999, 5, 'a'))).to.deep.equal([null, null, null, null, 'polling'])
      expect(calls(new Usage(LIMITS), every(30_000, 10, 'a')).every((verdict) => verdict === null)).to.equal(true)
    })

    it('starts again after any other request', () => {
      for (const between of ['b', '']) {
        const given = [...every(1_000, 4, 'a'), [4_000, between] as const, ...every(1_000, 4, 'a', 5_000)]
        expect(calls(new Usage(LIMITS), given).every((verdict) => verdict === null)).to.equal(true)
      }
      expect(calls(new Usage(LIMITS), every(1_000, 10, '')), 'what is no GET is no poll').to.not.include('polling')
    })

    it('continues across a report, whether the report succeeds or fails', () => {
      for (const then of ['under way', 'done', 'failed'] as const) {
        const usage = new Usage(LIMITS)
        calls(usage, every(1_000, 3, 'a'))
        const { run } = usage.report(START + 2_500)
        expect(run).to.include({ signature: 'a', calls: 3, broken: false })
        if (then === 'done') usage.reported({ ...NOTHING_ELSE, run })
        if (then === 'failed') usage.notReported()
        expect(calls(usage, every(1_000, 2, 'a', 3_000)), then).to.deep.equal([null, 'polling'])
      }
    })

    it('continues with the calls during a report that fails', () => {
      const usage = new Usage(LIMITS)
      calls(usage, every(1_000, 2, '/x'))
      usage.report(START + 2_000)
      calls(usage, every(1_000, 2, '/x', 2_000))
      usage.notReported()
      expect(calls(usage, [[4_000, '/x']])).to.deep.equal(['polling'])
    })

    it('ends if no call follows within 30 s, even after a report', () => {
      for (const then of ['under way', 'done', 'failed'] as const) {
        const usage = new Usage(LIMITS)
        calls(usage, every(1_000, 4, 'a'))
        const { run } = usage.report(START + 3_500)
        if (then === 'done') usage.reported({ ...NOTHING_ELSE, run })
        if (then === 'failed') usage.notReported()
        expect(calls(usage, every(1_000, 2, 'a', 33_000)), then).to.deep.equal([null, null])
      }
    })

    it('is reported as broken if it was interrupted', () => {
      const usage = new Usage(LIMITS)
      calls(usage, [
        [0, 'a'],
        [100, ''],
        [200, 'a'],
        [300, 'a'],
      ])
      expect(usage.report(START + 1_000).run).to.include({ signature: 'a', calls: 2, broken: true })
      usage.notReported()
      calls(usage, [[1_100, 'a']])
      expect(usage.report(START + 2_000).run).to.include({ signature: 'a', calls: 3, broken: true })
      usage.notReported()
      calls(usage, [[2_100, 'b']])
      expect(usage.report(START + 3_000).run).to.include({ signature: 'b', calls: 1, broken: true })
    })
  })

  describe('parallel requests', () => {
    const burst = (usage: Usage, at: number, requests: number) => {
      const verdicts = Array.from({ length: requests }, () => usage.enter('', START + at))
      for (let number = 0; number < requests; number++) usage.leave()
      return verdicts
    }
    const wide = { ...LIMITS, perHour: 1_000 }

    it('are too many if they exceed the limit in five different seconds of a minute', () => {
      const usage = new Usage(wide)
      for (const second of [0, 10, 20, 30]) expect(burst(usage, second * 1_000, 4)).to.not.include('parallel_requests')
      expect(burst(usage, 40_000, 4)).to.deep.equal([null, null, null, 'parallel_requests'])
    })

    it('may reach the limit, exceed it within one second, and exceed it again after a minute', () => {
      const usage = new Usage(wide)
      for (let second = 0; second < 10; second++) burst(usage, second * 1_000, 3)
      for (let number = 0; number < 10; number++) burst(usage, 20_000, 4)
      for (let minute = 1; minute < 10; minute++)
        expect(burst(usage, minute * MINUTE, 4)).to.not.include('parallel_requests')
    })

    it('do not include seconds that a clock counted while it was ahead', () => {
      const usage = new Usage(wide)
      for (let second = 0; second < 4; second++) burst(usage, 420 * MINUTE + second * 1_000, 4)
      expect(burst(usage, 0, 4)).to.not.include('parallel_requests')
    })

    it('are added up over all processes, per second', () => {
      const [one, other] = [new Usage(wide), new Usage(wide)]
      for (const usage of [one, other]) for (let number = 0; number < 2; number++) usage.enter('', START)
      for (const usage of [one, other]) expect(usage.report(START + 500).parallel).to.equal(null)
      for (const usage of [one, other])
        expect(usage.report(START + 1_500).parallel).to.deep.equal({ second: START / 1_000, requests: 2 })
      one.reported({ ...NOTHING_ELSE, overSeconds: [0, 1, 2, 3, 4].map((second) => START / 1_000 + second) })
      expect(one.enter('', START + 5_000)).to.equal('parallel_requests')
    })
  })

  it('is dropped an hour after the last request', () => {
    const usage = new Usage(LIMITS)
    usage.enter('', START)
    expect(usage.isOver(START + 61 * MINUTE), 'one is in flight').to.equal(false)
    usage.leave()
    expect(usage.isOver(START + 60 * MINUTE)).to.equal(false)
    expect(usage.isOver(START + 61 * MINUTE)).to.equal(true)
  })
})
