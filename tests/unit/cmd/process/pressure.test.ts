import { expect } from 'chai'
import { openPressure } from '../../../../cmd/process/pressure.ts'
import { eventually } from '../../../harness/eventually.ts'

/** Keeps the event loop from anything else. */
const spin = (ms: number): void => {
  const until = performance.now() + ms
  while (performance.now() < until);
}

describe('pressure', () => {
  it('is of receiving before all else', () => {
    const pressure = openPressure(() => true)
    pressure.ofDelivering(() => true)
    spin(150)
    expect(pressure.pressed()).to.equal('receiving')
  })

  it('is of delivering where many first calls wait and the process has its hands full', async () => {
    let isBusy = true
    const pressure = openPressure(() => false)
    pressure.ofDelivering(() => isBusy)
    spin(150)
    expect(pressure.pressed()).to.equal('delivering')
    // They wait for a slow endpoint: nobody else need wait for them.
    await eventually(() => pressure.pressed() === null)
    spin(150)
    expect(pressure.pressed()).to.equal('delivering')
    isBusy = false
    expect(pressure.pressed()).to.equal(null)
  })

  it('is of nothing in a process that does neither', () => {
    const pressure = openPressure(() => false)
    spin(150)
    expect(pressure.pressed()).to.equal(null)
  })
})
