import { expect } from 'chai'
import { openPressure } from '../../../../cmd/process/pressure.ts'
import { eventually } from '../../../harness/eventually.ts'

/** Blocks the event loop. */
const spin = (ms: number): void => {
  const until = performance.now() + ms
  while (performance.now() < until);
}

describe('pressure', () => {
  it('comes from receiving first', () => {
    const pressure = openPressure(() => true)
    pressure.ofDelivering(() => true)
    spin(150)
    expect(pressure.pressed()).to.equal('receiving')
  })

  it('comes from delivering if many first calls wait and the process is busy', async () => {
    let isBusy = true
    const pressure = openPressure(() => false)
    pressure.ofDelivering(() => isBusy)
    spin(150)
    expect(pressure.pressed()).to.equal('delivering')
    // The calls wait for a slow endpoint, so no other work must wait for them.
    await eventually(() => pressure.pressed() === null)
    spin(150)
    expect(pressure.pressed()).to.equal('delivering')
    isBusy = false
    expect(pressure.pressed()).to.equal(null)
  })

  it('is absent in a process that neither receives nor delivers', () => {
    const pressure = openPressure(() => false)
    spin(150)
    expect(pressure.pressed()).to.equal(null)
  })
})
