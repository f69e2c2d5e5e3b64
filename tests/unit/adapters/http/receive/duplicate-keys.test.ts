/** Tests the search for a key that occurs twice in one object of the JSON text as it was sent. */
import { expect } from 'chai'
import { hasDuplicateKey } from '../../../../../adapters/http/receive/duplicate-keys.ts'
import { sameName } from '../../../../../adapters/http/receive/field-names.ts'

const nested = (json: string, depth: number): string => '{"a":'.repeat(depth) + json + '}'.repeat(depth)
import { pseudoRandom } from '../../../../harness/pseudo-random.ts'

describe('the search for duplicate keys in a JSON text', () => {
  const twice = [
    '{"a":1,"a":2}',
    '{"a":1,"b":2,"c":3,"b":4}',
    '{"a":{"b":1,"b":2}}',
    '[{"a":1},{"b":[{"c":1,"d":{},"c":2}]}]',
    '{"text":1,"te\\u0078t":2}',
    '{"a\\"b":1,"a\\u0022b":2}',
    '{"":1,"":2}',
    '{"a":"}","a":2}',
    '{"a":"\\\\","a":2}',
    ' { "a" : [ 1 , 2 ] , "a" : { } } ',
    '{"__proto__":1,"__proto__":2}',
    nested('{"b":1,"b":2}', 7),
    `{${Array.from({ length: 2_000 }, (_, index) => `"k${index}":0`).join()},"k0":1}`,
  ]
  for (const json of twice)
    it(`finds a duplicate in ${json.slice(0, 50)}`, () => {
      expect(() => JSON.parse(json) as unknown).not.to.throw()
      expect(hasDuplicateKey(json)).to.equal(true)
    })

  const once = [
    '{}', '[]', 'null', '"a"', '"{\\"a\\":1,\\"a\\":2}"',
    '{"a":1,"b":"a","c":["a","a"],"d":{"a":1}}',
    '[{"a":1},{"a":2}]',
    '{"a":{"a":{"a":1}}}',
    '{"a":"x\\",\\"a\\":\\"y"}',
    '{"a":"\\\\\\"","b":"\\\\"}',
    '{"Text":1,"text":2}',
    nested('{"b":1,"b":2}', 8),
  ] // prettier-ignore
  for (const json of once)
    it(`finds no duplicate in ${json.slice(0, 50)}`, () => {
      expect(() => JSON.parse(json) as unknown).not.to.throw()
      expect(hasDuplicateKey(json)).to.equal(false)
    })

  it('treats the spellings of a known name as one key, and compares other names exactly', () => {
    expect(hasDuplicateKey('{"Text":1,"te_xt":2}', sameName)).to.equal(true)
    expect(hasDuplicateKey('{"packageName":1,"package.name":2}', sameName)).to.equal(true)
    expect(hasDuplicateKey('{"sim_1":1,"SIM1":2}', sameName)).to.equal(false)
  })

  it('agrees with a plain count of keys for any JSON', () => {
    const next = pseudoRandom(7)
    const keys = ['a', 'b', '\\u0061', 'c\\\\', 'd\\"', 'e', 'f', 'g']
    let found = 0
    const value = (depth: number): { json: string; isTwice: boolean } => {
      const kind = depth > 5 ? 0 : next(4)
      if (kind < 2) return { json: ['1', '"a"', '"\\",\\"a\\":"', 'null'][next(4)]!, isTwice: false }
      const inner = Array.from({ length: next(4) }, () => value(depth + 1))
      const isTwice = inner.some((each) => each.isTwice)
      if (kind === 2) return { json: `[${inner.map(({ json }) => json).join()}]`, isTwice }
      const names = inner.map(() => keys[next(keys.length)]!)
      const own = new Set(names.map((name) => JSON.parse(`"${name}"`) as string)).size < names.length
      return {
        json: `{${inner.map(({ json }, index) => `"${names[index]}":${json}`).join()}}`,
        isTwice: own || isTwice,
      }
    }
    for (let round = 0; round < 5_000; round++) {
      const { json, isTwice } = value(0)
      if (isTwice) found++
      expect(hasDuplicateKey(json), json).to.equal(isTwice)
    }
    expect(found).to.be.greaterThan(100)
  })

  it('takes linear time in the length of the text', () => {
    const million = 1_000_000
    const hostile = [
      `{"a":"${'\\\\'.repeat(million)}"}`,
      `{"a":"${'\\"'.repeat(million)}"}`,
      `[${'{"a":1},'.repeat(million / 2)}1]`,
      `{${Array.from({ length: million / 4 }, (_, index) => `"k${index}":0`).join()}}`,
      '['.repeat(50_000) + ']'.repeat(50_000),
    ]
    for (const json of hostile) {
      const began = process.cpuUsage()
      hasDuplicateKey(json, sameName)
      expect(process.cpuUsage(began).user / 1_000, json.slice(0, 20)).to.be.below(1_500)
    }
  })
})
