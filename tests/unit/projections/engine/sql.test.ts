import { expect } from 'chai'
import { main } from '../../../../projections/main.ts'
import { search } from '../../../../projections/search.ts'
import { projection, table, type Definition } from '../../../../projections/engine/definition.ts'
import { arrayLiteral, ddl, SqlWriter, versionOf } from '../../../../projections/engine/sql.ts'

const thing = table('thing', { id: 'bigint', names: 'text[]', count: 'integer' }, { key: ['id'] })

const flat = (text: string): string => text.replaceAll(/\s+/g, ' ')

describe('the SQL writer', () => {
  it('writes the values of a column as one array', () => {
    expect(arrayLiteral('bigint', [1, null, undefined, 3])).to.equal('{1,NULL,NULL,3}')
    expect(arrayLiteral('text', ['a', 'NULL', '', null])).to.equal('{"a","NULL","",NULL}')
    expect(arrayLiteral('text', ['quote " back \\ brace } comma ,'])).to.equal(
      '{"quote \\" back \\\\ brace } comma ,"}',
    )
    expect(arrayLiteral('text[]', [[], ['MB', 'a"b']])).to.equal('{"{}","{\\"MB\\",\\"a\\\\\\"b\\"}"}')
    expect(arrayLiteral('bigint[]', [[], [3, 5], null])).to.equal('{"{}","{3,5}",NULL}')
    expect(arrayLiteral('boolean', [true, false])).to.equal('{true,false}')
  })

  it('replaces characters that Postgres cannot store in a text', () => {
    expect(arrayLiteral('text', ['a\0b'])).to.equal('{"a\ufffdb"}')
  })

  it('writes the same text and name for any number of rows', () => {
    const writer = new SqlWriter('read_model')
    const one = writer.write({ kind: 'insert', table: thing, rows: [{ id: 1, names: ['x'], count: 2 }] })
    const two = writer.write({ kind: 'insert', table: thing, rows: [{ id: 1 }, { id: 2, names: [], count: null }] })
    expect(two.text).to.equal(one.text)
    expect(two.name).to.equal(one.name)
    expect(flat(one.text)).to.equal(
      'INSERT INTO read_model.thing ("id", "names", "count") SELECT v."id", v."names"::text[], v."count" ' +
        'FROM unnest($1::bigint[], $2::text[], $3::integer[]) AS v ("id", "names", "count")',
    )
    expect(two.values).to.deep.equal(['{1,2}', '{NULL,"{}"}', '{NULL,NULL}'])
  })

  it('writes updates by key, and never lowers a rising number', () => {
    const { text, values } = new SqlWriter('s').write({
      kind: 'update',
      table: thing,
      columns: ['count', 'names'],
      rising: ['count'],
      rows: [{ id: 1, count: 2, names: null }],
    })
    expect(flat(text)).to.equal(
      'UPDATE s.thing AS t SET "count" = greatest(t."count", v."count"), "names" = v."names"::text[] ' +
        'FROM unnest($1::bigint[], $2::integer[], $3::text[]) AS v ("id", "count", "names") WHERE t."id" = v."id"',
    )
    expect(values).to.deep.equal(['{1}', '{2}', '{NULL}'])
  })

  it('writes another text if the same columns rise in one update, and are set in the next', () => {
    const writer = new SqlWriter('s')
    const update = { kind: 'update', table: thing, columns: ['count'], rows: [{ id: 1, count: 2 }] } as const
    expect(flat(writer.write({ ...update, rising: ['count'] }).text)).to.include('SET "count" = greatest(')
    expect(flat(writer.write({ ...update, rising: [] }).text)).to.include('SET "count" = v."count"')
  })

  it('names an unknown column in the error', () => {
    const change = { kind: 'update', table: thing, columns: ['nonsense'], rising: [], rows: [] } as const
    expect(() => new SqlWriter('s').write(change)).to.throw('thing has no column nonsense')
  })

  it('computes a different version for every change of a definition', () => {
    const changed = (change: (definition: Definition) => Definition) => versionOf(change(main))
    const [first, ...others] = main.projections
    const versions = [
      versionOf(main),
      changed((definition) => ({ ...definition, projections: [{ ...first!, version: 99 }, ...others] })),
      changed((definition) => ({ ...definition, projections: others })),
      changed((definition) => ({ ...definition, prefixes: ['account-'] })),
      changed((definition) => ({
        ...definition,
        projections: [{ ...first!, table: { ...first!.table, indexes: ['(plan)'] } }, ...others],
      })),
      changed((definition) => ({
        ...definition,
        projections: definition.projections.map((each) => ({ ...each, triggers: () => 'SELECT 1' })),
      })),
      changed((definition) => ({
        ...definition,
        projections: definition.projections.map((each) => ({
          ...each,
          operations: each.operations.map((operation) => ({ ...operation, sql: () => 'SELECT 1' })),
        })),
      })),
    ]
    const remaining = { ...main.remaining!, part: () => 'SELECT 1' }
    versions.push(changed((definition) => ({ ...definition, remaining })))
    expect(new Set(versions).size).to.equal(versions.length)
    expect(versionOf(main)).to.equal(versionOf({ ...main }))
  })

  it('computes the same version with an added index, which new tables have', () => {
    const [first, ...others] = main.projections
    const more: Definition = {
      ...main,
      projections: [{ ...first!, table: { ...first!.table, addedIndexes: ['(plan)'] } }, ...others],
    }
    expect(versionOf(more)).to.equal(versionOf(main))
    expect(ddl('elsewhere', more)).to.include(`CREATE INDEX ON elsewhere.${first!.table.name} (plan)`)
  })

  it('creates tables with their keys and indexes in any schema', () => {
    const text = flat(ddl('elsewhere', main))
    expect(text).to.include('PRIMARY KEY ("transaction_id", "rule_id")')
    expect(text).to.include("CREATE INDEX ON elsewhere.delivery (rule_id, lane, due_at) WHERE status = 'open'")
    expect(text).to.include('CREATE INDEX ON elsewhere.transaction (user_id, created_at DESC, id DESC)')
    expect(text).not.to.include('read_model')
  })

  it('creates a table in partitions, and creates functions and triggers after all tables', () => {
    const parts = flat(ddl('elsewhere', search))
    expect(parts).to.include('PRIMARY KEY ("user_id", "id")) PARTITION BY HASH ("user_id")')
    expect(parts.match(/PARTITION OF elsewhere.searchable FOR VALUES/g)).to.have.length(8)
    const statements = ddl('elsewhere', main).split(';\n')
    const last = statements.findLastIndex((statement) => statement.startsWith('CREATE TABLE'))
    const first = statements.findIndex((statement) => /^\s*CREATE (OR REPLACE FUNCTION|TRIGGER)/.test(statement))
    expect(first).to.be.above(last)
  })
})

describe('a projection of a table with a user', () => {
  const owned = table('owned', { id: 'bigint', user_id: 'bigint' }, { key: ['id'] })
  const onDeletion = (of: ReturnType<typeof projection>) => Object.keys(of.handlers)

  it('removes the rows of a deleted account, unless the closing events of their streams do', () => {
    expect(onDeletion(projection(owned, { version: 1 }, {}))).to.deep.equal(['AccountDeleted'])
    expect(onDeletion(projection(owned, { version: 1, goesWithStreams: true }, {}))).to.deep.equal([])
    expect(onDeletion(projection(thing, { version: 1 }, {}))).to.deep.equal([])
  })
})
