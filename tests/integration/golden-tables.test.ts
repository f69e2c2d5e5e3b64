/** A release may only add tables and columns: processes of the last release use the same tables during a rolling upgrade. */
import { expect } from 'chai'
import { breaches, goldenColumns, presentColumns } from '../corpus/golden-tables.ts'

describe('the tables of the last release', () => {
  it('all exist, with the same columns and types (docs/how/read-models.md, "Changed tables")', async () => {
    const [before, now] = [goldenColumns(), await presentColumns()]
    expect(Object.keys(before)).to.include.members([
      'ops.claim.attempt',
      'read_model.transaction.id',
      'store.event.data',
    ])
    expect(breaches(before, now)).to.deep.equal([])
  })

  it('are compared by column and type, and may gain columns', () => {
    const before = { 'ops.a.one': 'bigint', 'ops.a.two': 'text' }
    expect(breaches(before, { ...before, 'ops.a.three': 'text', 'ops.b.one': 'text' })).to.deep.equal([])
    expect(breaches(before, { 'ops.a.one': 'integer' })).to.deep.equal([
      'ops.a.one was bigint and is integer',
      'ops.a.two was removed',
    ])
  })
})
