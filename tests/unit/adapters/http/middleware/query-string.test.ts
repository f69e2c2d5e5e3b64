import type { IncomingMessage } from 'node:http'
import { expect } from 'chai'
import fc from 'fast-check'
import { hasTooManyPairs, queryOf, rawQueryOf } from '../../../../../adapters/http/middleware/query-string.ts'

const asked = (url: string) => ({ req: { url } as IncomingMessage })

describe('the query of a URL', () => {
  it('is the text after the first question mark', () => {
    expect(rawQueryOf(asked('/a?b=c?d'))).to.equal('b=c?d')
    expect(rawQueryOf(asked('/a'))).to.equal('')
    expect({ ...queryOf(asked('/a?')) }).to.deep.equal({})
  })

  it('has one value or a list of values for each name', () => {
    const query = queryOf(asked('/a?x=1&y=a%20b+c&x=2&x=3&z&__proto__=p'))
    expect(Object.entries(query)).to.deep.equal([
      ['x', ['1', '2', '3']],
      ['y', 'a b c'],
      ['z', ''],
      ['__proto__', 'p'],
    ])
  })

  it('is parsed once per request', () => {
    const context = asked('/a?x=1')
    expect(queryOf(context)).to.equal(queryOf(context))
  })

  it('is parsed as URLSearchParams parses it', () =>
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.string(), fc.string()), { maxLength: 20 }), (pairs) => {
        const params = new URLSearchParams(pairs)
        const query = queryOf(asked(`/a?${params.toString()}`))
        for (const name of params.keys()) expect([query[name]].flat()).to.deep.equal(params.getAll(name))
        expect(Object.keys(query)).to.have.members([...new Set(params.keys())])
      }),
    ))

  it('has at most 100 pairs', () => {
    expect(hasTooManyPairs(Array(100).fill('a=b').join('&'))).to.equal(false)
    expect(hasTooManyPairs(Array(101).fill('a=b').join('&'))).to.equal(true)
    expect({ ...queryOf(asked(`/a?${'a&'.repeat(200)}`)) }).to.deep.equal({})
  })
})
