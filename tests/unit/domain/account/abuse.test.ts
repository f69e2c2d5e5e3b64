import { expect } from 'chai'
import { Usage, SLOT_MS, type SeenByAll } from '../../../../domain/account/abuse.ts'

const LIMITS = { perHour: 10, polls: 5, parallel: 3 }
const NOTHING_ELSE: SeenByAll = { calls: new Map(), run: null, overSeconds: [] }
const MINUTE = 60_000
const START = 1_000 * SLOT_MS

describe('usage of an account', () => {
  /** Makes calls in sequence, each ended before the next. @returns the verdicts */
  const calls = (conduct: Usage, given: readonly (readonly [at: number, signature?: string])[]) =>
    given.map(([at, signature = '']) => {
      const verdict = conduct.enter(signature, START + at)
      conduct.leave()
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
      const conduct = new Usage(LIMITS)
      expect(calls(conduct, every(1_000, 10, '', 29 * MINUTE)).at(-1)).to.equal(null)
      expect(calls(conduct, [[80 * MINUTE]])).to.deep.equal(['requests_per_hour'])
    })

    it('do not include requests that are an hour old', () => {
      const conduct = new Usage(LIMITS)
      calls(conduct, every(1_000, 10))
      expect(calls(conduct, every(1_000, 10, '', 60 * MINUTE)).every((verdict) => verdict === null)).to.equal(true)
    })

    it('do not include requests that a clock counted while it was ahead', () => {
      const conduct = new Usage(LIMITS)
      calls(conduct, every(1_000, 6, '', 420 * MINUTE))
      conduct.report(START + 421 * MINUTE)
      conduct.reported({ ...NOTHING_ELSE, calls: new Map([[1_000 + 84, 9]]) })
      expect(calls(conduct, every(1_000, 6)).at(-1)).to.equal(null)
      expect(calls(conduct, every(1_000, 5, '', 10_000)).at(-1)).to.equal('requests_per_hour')
    })

    it('are counted during a report to other processes, and after it succeeds or fails', () => {
      for (const then of ['told', 'heard', 'unheard'] as const) {
        const conduct = new Usage(LIMITS)
        calls(conduct, every(10, 6))
        const { calls: told } = conduct.report(START + 1_000)
        if (then === 'heard') conduct.reported({ ...NOTHING_ELSE, calls: told })
        if (then === 'unheard') conduct.notReported()
        expect(calls(conduct, every(10, 5, '', 1_500)), then).to.deep.equal([
          null,
          null,
          null,
          null,
          'requests_per_hour',
        ])
      }
    })

    it('include the requests that other processes saw', () => {
      const conduct = new Usage(LIMITS)
      calls(conduct, every(10, 1))
      conduct.report(START + 1_000)
      conduct.reported({ ...NOTHING_ELSE, calls: new Map([[1_000, 9], [999, 1]]) }) // prettier-ignore
      expect(calls(conduct, [[1_500]])).to.deep.equal(['requests_per_hour'])
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
      for (const then of ['told', 'heard', 'unheard'] as const) {
        const conduct = new Usage(LIMITS)
        calls(conduct, every(1_000, 3, 'a'))
        const { run } = conduct.report(START + 2_500)
        expect(run).to.include({ signature: 'a', calls: 3, broken: false })
        if (then === 'heard') conduct.reported({ ...NOTHING_ELSE, run })
        if (then === 'unheard') conduct.notReported()
        expect(calls(conduct, every(1_000, 2, 'a', 3_000)), then).to.deep.equal([null, 'polling'])
      }
    })

    it('continues with the calls during a report that fails', () => {
      const conduct = new Usage(LIMITS)
      calls(conduct, every(1_000, 2, '/x'))
      conduct.report(START + 2_000)
      calls(conduct, every(1_000, 2, '/x', 2_000))
      conduct.notReported()
      expect(calls(conduct, [[4_000, '/x']])).to.deep.equal(['polling'])
    })

    it('ends if no call follows within 30 s, even after a report', () => {
      for (const then of ['told', 'heard', 'unheard'] as const) {
        const conduct = new Usage(LIMITS)
        calls(conduct, every(1_000, 4, 'a'))
        const { run } = conduct.report(START + 3_500)
        if (then === 'heard') conduct.reported({ ...NOTHING_ELSE, run })
        if (then === 'unheard') conduct.notReported()
        expect(calls(conduct, every(1_000, 2, 'a', 33_000)), then).to.deep.equal([null, null])
      }
    })

    it('is reported as broken if it was interrupted', () => {
      const conduct = new Usage(LIMITS)
      calls(conduct, [[0, 'a'], [100, ''], [200, 'a'], [300, 'a']]) // prettier-ignore
      expect(conduct.report(START + 1_000).run).to.include({ signature: 'a', calls: 2, broken: true })
      conduct.notReported()
      calls(conduct, [[1_100, 'a']])
      expect(conduct.report(START + 2_000).run).to.include({ signature: 'a', calls: 3, broken: true })
      conduct.notReported()
      calls(conduct, [[2_100, 'b']])
      expect(conduct.report(START + 3_000).run).to.include({ signature: 'b', calls: 1, broken: true })
    })
  })

  describe('parallel requests', () => {
    const burst = (conduct: Usage, at: number, requests: number) => {
      const verdicts = Array.from({ length: requests }, () => conduct.enter('', START + at))
      for (let number = 0; number < requests; number++) conduct.leave()
      return verdicts
    }
    const wide = { ...LIMITS, perHour: 1_000 }

    it('are too many if they exceed the limit in five different seconds of a minute', () => {
      const conduct = new Usage(wide)
      for (const second of [0, 10, 20, 30])
        expect(burst(conduct, second * 1_000, 4)).to.not.include('parallel_requests')
      expect(burst(conduct, 40_000, 4)).to.deep.equal([null, null, null, 'parallel_requests'])
    })

    it('may reach the limit, exceed it within one second, and exceed it again after a minute', () => {
      const conduct = new Usage(wide)
      for (let second = 0; second < 10; second++) burst(conduct, second * 1_000, 3)
      for (let number = 0; number < 10; number++) burst(conduct, 20_000, 4)
      for (let minute = 1; minute < 10; minute++)
        expect(burst(conduct, minute * MINUTE, 4)).to.not.include('parallel_requests')
    })

    it('do not include seconds that a clock counted while it was ahead', () => {
      const conduct = new Usage(wide)
      for (let second = 0; second < 4; second++) burst(conduct, 420 * MINUTE + second * 1_000, 4)
      expect(burst(conduct, 0, 4)).to.not.include('parallel_requests')
    })

    it('are added up over all processes, per second', () => {
      const [one, other] = [new Usage(wide), new Usage(wide)]
      for (const conduct of [one, other]) for (let number = 0; number < 2; number++) conduct.enter('', START)
      for (const conduct of [one, other]) expect(conduct.report(START + 500).parallel).to.equal(null)
      for (const conduct of [one, other])
        expect(conduct.report(START + 1_500).parallel).to.deep.equal({ second: START / 1_000, requests: 2 })
      one.reported({ ...NOTHING_ELSE, overSeconds: [0, 1, 2, 3, 4].map((second) => START / 1_000 + second) })
      expect(one.enter('', START + 5_000)).to.equal('parallel_requests')
    })
  })

  it('is dropped an hour after the last request', () => {
    const conduct = new Usage(LIMITS)
    conduct.enter('', START)
    expect(conduct.isOver(START + 61 * MINUTE), 'one is in flight').to.equal(false)
    conduct.leave()
    expect(conduct.isOver(START + 60 * MINUTE)).to.equal(false)
    expect(conduct.isOver(START + 61 * MINUTE)).to.equal(true)
  })
})
