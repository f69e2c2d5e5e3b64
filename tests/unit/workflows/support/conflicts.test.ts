import { expect } from 'chai'
import { Refused } from '../../../../domain/errors.ts'
import { CONFLICT, untilNoConflict } from '../../../../workflows/support/conflicts.ts'

/** An attempt that meets so many conflicts before it succeeds, and counts its calls. */
const conflicting = (conflicts: number) => {
  const attempt = {
    calls: 0,
    run: async () => (++attempt.calls > conflicts ? 'done' : CONFLICT),
  }
  return attempt
}

describe('the conflict loop', () => {
  it('returns the result of an attempt that meets no conflict', async () => {
    const attempt = conflicting(0)
    expect(await untilNoConflict(attempt.run)).to.equal('done')
    expect(attempt.calls).to.equal(1)
  })

  it('repeats the attempt after each conflict', async () => {
    const attempt = conflicting(3)
    expect(await untilNoConflict(attempt.run)).to.equal('done')
    expect(attempt.calls).to.equal(4)
  })

  it('asks the caller to send the request again when every attempt met a conflict', async () => {
    const attempt = conflicting(Infinity)
    const error = await untilNoConflict(attempt.run, { mostAttempts: 3 }).catch((thrown: unknown) => thrown)
    expect(error).to.be.instanceOf(Refused).and.have.property('code', 'CONFLICT')
    expect(attempt.calls).to.equal(3)
  })

  it('ends with the error of its stop rule, if it has one', async () => {
    const rule = { mostAttempts: 1, onExhausted: () => new Error('too many conflicts on x') }
    const error = await untilNoConflict(conflicting(1).run, rule).catch((thrown: unknown) => thrown)
    expect(error).to.have.property('message', 'too many conflicts on x')
  })

  it('does not repeat an attempt that fails for another reason', async () => {
    let calls = 0
    const attempt = () => {
      calls++
      return Promise.reject(new Error('the store is away'))
    }
    const error = await untilNoConflict(attempt).catch((thrown: unknown) => thrown)
    expect(error).to.have.property('message', 'the store is away')
    expect(calls).to.equal(1)
  })
})
