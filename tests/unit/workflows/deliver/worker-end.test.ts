import { expect } from 'chai'
import { endWorker, type WorkerEnd } from '../../../../workflows/deliver/worker-end.ts'

const timers = (): number => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length

const done = () => Promise.resolve()

const IDLE: WorkerEnd = {
  release: () => {},
  claimRest: done,
  inFlight: () => 0,
  cutOff: () => expect.fail('no call is open'),
  recorder: { end: done, giveUp: () => expect.fail('every result is recorded') },
  endUpdates: done,
  signOff: done,
  loops: done(),
  onError: (error) => expect.fail(String(error)),
}

describe('the end of a delivery worker', () => {
  it('leaves no timer behind, which would keep the process running', async () => {
    await done()
    const before = timers()
    await endWorker(IDLE)
    expect(timers()).to.be.at.most(before)
  })

  it('signs off after the rest was claimed, so that the next worker takes the rest over at once', async () => {
    const steps: string[] = []
    const claimRest = async () => {
      await new Promise((resolve) => setImmediate(resolve))
      steps.push('claimed')
    }
    const signOff = () => Promise.resolve(void steps.push('signed off'))
    await endWorker({ ...IDLE, claimRest, signOff })
    expect(steps).to.deep.equal(['claimed', 'signed off'])
  })

  it('reports what its calls showed about their endpoints before it signs off', async () => {
    const steps: string[] = []
    const step = (name: string) => () => Promise.resolve(void steps.push(name))
    await endWorker({ ...IDLE, endUpdates: step('reported'), signOff: step('signed off') })
    expect(steps).to.deep.equal(['reported', 'signed off'])
  })

  /** Ends a worker a hundred times faster. @returns the milliseconds of each timer by what it does */
  const endQuickly = async (worker: Partial<WorkerEnd>): Promise<Map<unknown, number>> => {
    const { setTimeout: real } = globalThis
    const timers = new Map<unknown, number>()
    globalThis.setTimeout = ((work: () => void, ms: number) => {
      timers.set(work, ms)
      return real(work, ms / 100)
    }) as typeof setTimeout
    try {
      await endWorker({ ...IDLE, ...worker })
    } finally {
      globalThis.setTimeout = real
    }
    return timers
  }

  it('cuts off the calls that are still open after seven seconds', async () => {
    let open = 1
    const cutOff = () => void open--
    expect((await endQuickly({ inFlight: () => open, cutOff })).get(cutOff)).to.equal(7_000)
  })

  it('gives up what a server does not take, so that the process ends', async () => {
    let giveUp = (): void => {}
    const givenUp = new Promise<void>((resolve) => (giveUp = resolve))
    await endQuickly({ cutOff: () => {}, recorder: { end: () => givenUp, giveUp } })
  })
})
