import { expect } from 'chai'
import {
  atLeast,
  insert,
  perform,
  remove,
  table,
  update,
  type Operation,
  type Statement,
} from '../../../../projections/engine/definition.ts'
import { Fold, type Change } from '../../../../projections/engine/fold.ts'

const thing = table('thing', { id: 'bigint', name: 'text', count: 'integer', due_at: 'timestamptz' }, { key: ['id'] })
const pair = table('pair', { a: 'bigint', b: 'bigint', name: 'text' }, { key: ['a', 'b'] })

const operation = (name: string, acrossStreams = false): Operation => ({
  name,
  values: { id: 'bigint' },
  sql: () => '',
  acrossStreams,
})
const shift = operation('shift')
const sweep = operation('sweep', true)

/** The changes that result from statements of several streams, added in order. */
const folded = (...added: [stream: string, ...statements: Statement[]][]): unknown[] => {
  const fold = new Fold()
  for (const [stream, ...statements] of added) fold.add(stream, statements)
  return fold.changes().map(short)
}

const short = (change: Change): unknown[] =>
  change.kind === 'perform'
    ? ['perform', change.operation.name, change.rows]
    : [change.kind, change.table.name, change.rows]

describe('folding statements', () => {
  it('combines inserts into one change, and updates of the same columns into one', () => {
    const added = [1, 2, 3].map((id): [string, ...Statement[]] => [
      `s-${id}`,
      insert(thing, { id, name: 'new' }),
      update(pair, { a: id, b: 1 }, { name: 'x' }),
    ])
    expect(folded(...added)).to.deep.equal([
      ['insert', 'thing', [1, 2, 3].map((id) => ({ id, name: 'new' }))],
      ['update', 'pair', [1, 2, 3].map((a) => ({ a, b: 1, name: 'x' }))],
    ])
  })

  it('combines an insert and later updates of its row into one insert', () => {
    expect(
      folded(
        ['s-1', insert(thing, { id: 1, name: 'new', count: 0 })],
        ['s-1', update(thing, { id: 1 }, { count: atLeast(3) }), update(thing, { id: 1 }, { name: 'old' })],
        ['s-1', update(thing, { id: 1 }, { count: atLeast(2) })],
      ),
    ).to.deep.equal([['insert', 'thing', [{ id: 1, name: 'old', count: 3 }]]])
  })

  it('combines updates of one row into one, with the last value and the highest number', () => {
    expect(
      folded(
        ['s-1', update(thing, { id: 1 }, { name: 'a', count: atLeast(5) })],
        ['s-1', update(thing, { id: 1 }, { name: 'b', count: atLeast(4), due_at: null })],
      ),
    ).to.deep.equal([['update', 'thing', [{ id: 1, name: 'b', count: 5, due_at: null }]]])
    const [change] = (() => {
      const fold = new Fold()
      fold.add('s-1', [update(thing, { id: 1 }, { count: atLeast(5) })])
      return fold.changes()
    })()
    expect(change)
      .to.include({ kind: 'update' })
      .and.deep.include({ columns: ['count'], rising: ['count'] })
  })

  it('raises a number from the value that was set', () => {
    const both = (first: number, second: number) =>
      folded(['s', update(thing, { id: 1 }, { count: first }), update(thing, { id: 1 }, { count: atLeast(second) })])
    expect(both(3, 7)).to.deep.equal([['update', 'thing', [{ id: 1, count: 7 }]]])
    expect(both(7, 3)).to.deep.equal([['update', 'thing', [{ id: 1, count: 7 }]]])
  })

  it('removes a row that existed, and drops a row that was inserted and removed', () => {
    expect(
      folded(
        ['s-1', insert(thing, { id: 1 }), remove(thing, { id: 1 }), update(thing, { id: 1 }, { name: 'x' })],
        [
          's-2',
          update(thing, { id: 2 }, { name: 'x' }),
          remove(thing, { id: 2 }),
          update(thing, { id: 2 }, { name: 'y' }),
        ],
        ['s-3', remove(thing, { id: 3 }), insert(thing, { id: 3, name: 'again' })],
      ),
    ).to.deep.equal([
      ['remove', 'thing', [{ id: 2 }, { id: 3, name: 'again' }]],
      ['insert', 'thing', [{ id: 3, name: 'again' }]],
    ])
  })

  it('refuses to insert a row twice', () => {
    expect(() => folded(['s', insert(thing, { id: 1 }), insert(thing, { id: 1 })])).to.throw('thing 1')
  })

  it('distinguishes rows by their whole key', () => {
    expect(
      folded(['s', update(pair, { a: 1, b: 12 }, { name: 'x' }), update(pair, { a: 11, b: 2 }, { name: 'y' })]),
    ).to.deep.equal([
      ['update', 'pair', [{ a: 1, b: 12, name: 'x' }, { a: 11, b: 2, name: 'y' }]],
    ]) // prettier-ignore
  })

  it('keeps the order of a stream around an operation, and combines other streams freely', () => {
    expect(
      folded(
        ['s-1', update(thing, { id: 1 }, { name: 'before' })],
        ['s-1', perform(shift, [{ id: 1 }])],
        ['s-1', update(thing, { id: 1 }, { name: 'after' })],
        ['s-2', update(thing, { id: 2 }, { name: 'beside' }), perform(shift, [{ id: 2 }])],
      ),
    ).to.deep.equal([
      ['update', 'thing', [{ id: 1, name: 'before' }, { id: 2, name: 'beside' }]],
      ['perform', 'shift', [{ id: 1 }, { id: 2 }]],
      ['update', 'thing', [{ id: 1, name: 'after' }]],
    ]) // prettier-ignore
  })

  it('keeps the order of operations in one stream', () => {
    const other = operation('other')
    expect(
      folded(['s-1', perform(other, [{ id: 1 }]), perform(shift, [{ id: 1 }]), perform(other, [{ id: 2 }])]),
    ).to.deep.equal([
      ['perform', 'other', [{ id: 1 }]],
      ['perform', 'shift', [{ id: 1 }]],
      ['perform', 'other', [{ id: 2 }]],
    ])
  })

  it('orders all streams around an operation across streams', () => {
    expect(
      folded(
        ['s-1', perform(shift, [{ id: 1 }]), update(thing, { id: 1 }, { name: 'a' })],
        ['r-1', perform(sweep, [{ id: 8 }])],
        ['r-2', perform(sweep, [{ id: 9 }])],
        ['s-2', update(thing, { id: 2 }, { name: 'b' })],
        ['r-3', perform(sweep, [{ id: 7 }])],
      ),
    ).to.deep.equal([
      ['perform', 'shift', [{ id: 1 }]],
      ['update', 'thing', [{ id: 1, name: 'a' }]],
      ['perform', 'sweep', [{ id: 8 }, { id: 9 }]],
      ['update', 'thing', [{ id: 2, name: 'b' }]],
      ['perform', 'sweep', [{ id: 7 }]],
    ])
  })

  it('keeps the order of different operations across streams', () => {
    const mop = operation('mop', true)
    expect(
      folded(['r', perform(sweep, [{ id: 1 }])], ['r', perform(mop, [{ id: 2 }])], ['r', perform(sweep, [{ id: 3 }])]),
    ).to.deep.equal([
      ['perform', 'sweep', [{ id: 1 }]],
      ['perform', 'mop', [{ id: 2 }]],
      ['perform', 'sweep', [{ id: 3 }]],
    ])
  })

  it('makes no change without statements', () => {
    expect(folded(['s', perform(shift, [])])).to.deep.equal([])
    expect(folded()).to.deep.equal([])
  })
})
