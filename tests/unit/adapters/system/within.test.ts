import { expect } from 'chai'
import { within } from '../../../../adapters/system/within.ts'

const late = () => new Error('late')

describe('bounded waiting', () => {
  it('gives the result or the error of work that ends in time', async () => {
    expect(await within(60_000, Promise.resolve(7), late)).to.equal(7)
    const failed = within(60_000, Promise.reject(new Error('no')), late)
    expect(await failed.catch((error: Error) => error.message)).to.equal('no')
  })

  it('fails when the time is over', async () => {
    const failed = within(20, new Promise(() => {}), late)
    expect(await failed.catch((error: Error) => error.message)).to.equal('late')
  })
})
