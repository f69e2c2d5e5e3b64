import { expect } from 'chai'
import { awakeFor, awakeNow } from '../../../../adapters/system/awake.ts'

/** Blocks the process, as if the machine gave it no CPU time. */
const freeze = (milliseconds: number): void => {
  for (const end = performance.now() + milliseconds; performance.now() < end;);
}

const OPEN = new AbortController().signal

describe('the clock of running time', () => {
  it('matches real time while the process runs freely', async () => {
    const [began, awake] = [performance.now(), awakeNow()]
    await awakeFor(300, OPEN)
    // Both readings of the clock lie between those of real time, so a pause of a busy machine counts in both.
    const ran = awakeNow() - awake
    const passed = performance.now() - began
    expect(ran).to.be.at.least(300)
    expect(ran).to.be.at.most(passed)
  })

  it('stops in a freeze, so messages that arrived meanwhile are handled before a deadline', async () => {
    const awake = awakeNow()
    const seen: string[] = []
    const deadline = awakeFor(900, OPEN).then(() => seen.push('deadline'))
    await new Promise((resolve) => setImmediate(resolve))
    setTimeout(() => seen.push('answer'), 1)
    freeze(1_500)
    expect(awakeNow() - awake).to.be.below(900)
    await deadline
    expect(seen).to.deep.equal(['answer', 'deadline'])
  })

  it('ends a wait when the signal aborts', async () => {
    const stopping = new AbortController()
    const waiting = awakeFor(60_000, stopping.signal)
    stopping.abort()
    await waiting
  })
})
