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

  it('gives up what a server does not take, so that the process ends', async () => {
    const { setTimeout: real } = globalThis
    globalThis.setTimeout = ((work: () => void, ms: number) => real(work, ms / 100)) as typeof setTimeout
    let giveUp = (): void => {}
    const givenUp = new Promise<void>((resolve) => (giveUp = resolve))
    try {
      await endWorker({ ...IDLE, cutOff: () => {}, recorder: { end: () => givenUp, giveUp } })
    } finally {
      globalThis.setTimeout = real
    }
  })
})
