import { expect } from 'chai'
import { endWorker } from '../../../../workflows/deliver/worker-end.ts'

const timers = (): number => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length

describe('the end of a delivery worker', () => {
  it('leaves no timer behind, which would keep the process running', async () => {
    const done = () => Promise.resolve()
    await done()
    const before = timers()
    await endWorker({
      release: () => {},
      claimRest: done,
      inFlight: () => 0,
      cutOff: () => expect.fail('no call is open'),
      recorder: { end: done, giveUp: () => expect.fail('every result is recorded') },
      endUpdates: done,
      signOff: done,
      loops: done(),
      onError: (error) => expect.fail(String(error)),
    })
    expect(timers()).to.be.at.most(before)
  })
})
