import { expect } from 'chai'
import { jittered, pauseAfter, retry } from '../../../../workflows/support/retry.ts'

const QUICK = { firstMs: 1, mostMs: 2 }
const never = new AbortController().signal

/** Fails the given number of times, then succeeds. */
const failing = (times: number) => {
  const attempts = { count: 0 }
  const attempt = () =>
    ++attempts.count <= times ? Promise.reject(new Error(`failure ${attempts.count}`)) : Promise.resolve('done')
  return { attempts, attempt }
}

describe('retry', () => {
  it('returns the result of the first attempt that succeeds', async () => {
    const { attempts, attempt } = failing(3)
    const failures: string[] = []
    const onFailure = (error: unknown) => failures.push((error as Error).message)
    expect(await retry(attempt, { signal: never, backOff: QUICK, onFailure })).to.equal('done')
    expect(attempts.count).to.equal(4)
    expect(failures).to.deep.equal(['failure 1', 'failure 2', 'failure 3'])
  })

  it('starts again from its first pause after an attempt that worked before it failed', async () => {
    const { attempts, attempt } = failing(30)
    const working = (worked: () => void) => (worked(), attempt())
    await retry(working, { signal: never, backOff: { firstMs: 1, mostMs: 3_600_000 }, onFailure: () => {} })
    expect(attempts.count).to.equal(31)
  })

  it('makes no attempt when the signal has aborted', async () => {
    const { attempts, attempt } = failing(0)
    expect(await retry(attempt, { signal: AbortSignal.abort(), onFailure: () => {} })).to.equal(undefined)
    expect(attempts.count).to.equal(0)
  })

  it('ends during a pause when the signal aborts', async () => {
    const { attempts, attempt } = failing(Infinity)
    const stop = new AbortController()
    const backOff = { firstMs: 3_600_000, mostMs: 3_600_000 }
    const onFailure = () => void setImmediate(() => stop.abort())
    expect(await retry(attempt, { signal: stop.signal, backOff, onFailure })).to.equal(undefined)
    expect(attempts.count).to.equal(1)
  })

  it('ends with the error that the stop rule throws', async () => {
    const { attempts, attempt } = failing(Infinity)
    const onFailure = (error: unknown) => {
      if (attempts.count === 2) throw error
    }
    const error = await retry(attempt, { signal: never, backOff: QUICK, onFailure }).catch((reason: unknown) => reason)
    expect((error as Error).message).to.equal('failure 2')
  })

  it('pauses no longer than the caller allows', async () => {
    const { attempt } = failing(1)
    const backOff = { firstMs: 3_600_000, mostMs: 3_600_000 }
    const rule = { signal: never, backOff, mostPauseMs: () => 0, onFailure: () => {} }
    expect(await retry(attempt, rule)).to.equal('done')
  })

  it('doubles its pauses up to the longest, each with jitter', () => {
    const backOff = { firstMs: 10, mostMs: 100 }
    for (const [failures, most] of [10, 20, 40, 80, 100, 100].entries())
      for (let draw = 0; draw < 20; draw++) expect(pauseAfter(failures, backOff)).to.be.within(most / 2, most)
    expect(pauseAfter(10_000, backOff)).to.be.within(50, 100)
    expect(jittered(0)).to.equal(0)
  })
})
