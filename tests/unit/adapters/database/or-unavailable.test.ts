import { expect } from 'chai'
import type { Queryable } from '../../../../adapters/database/database.ts'
import { orUnavailable } from '../../../../adapters/database/or-unavailable.ts'
import { errorOf } from '../../../harness/outcomes.ts'

const failing = (error: Error): Queryable => orUnavailable({ query: () => Promise.reject(error) })
const nameOf = async (queryable: Queryable) => (await errorOf(queryable.query('SELECT 1')))?.name

describe('a read from a database that may be unavailable', () => {
  it('fails with StoreUnavailable in an outage or before an upgrade has finished, and passes on a refusal unchanged', async () => {
    const refused = Object.assign(new Error('syntax error'), {
      severity: 'ERROR',
      code: '42601',
      name: 'DatabaseError',
    })
    const notYet = Object.assign(new Error('no such column'), { severity: 'ERROR', code: '42703' })
    const stopping = Object.assign(new Error('going down'), { severity: 'FATAL', code: '57P01' })
    const lost = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })
    expect(await nameOf(failing(stopping))).to.equal('StoreUnavailable')
    expect(await nameOf(failing(lost))).to.equal('StoreUnavailable')
    expect(await nameOf(failing(notYet))).to.equal('StoreUnavailable')
    expect(await nameOf(failing(refused))).to.equal('DatabaseError')
    expect(await nameOf(orUnavailable({ query: () => Promise.resolve([]) }))).to.equal(undefined)
  })
})
