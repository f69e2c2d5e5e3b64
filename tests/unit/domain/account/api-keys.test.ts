import { expect } from 'chai'
import { register } from '../../../../domain/account/access.ts'
import { evolve, type Account } from '../../../../domain/account/account.ts'
import {
  addKey,
  allows,
  removeKey,
  scopedKeyOf,
  scopeMissing,
  type Scope,
} from '../../../../domain/account/api-keys.ts'
import { hashOfToken } from '../../../../domain/account/tokens.ts'

const AT = new Date('2026-03-10T05:00:00Z')
const END = '2026-03-10T06:00:00.000Z'
const account = register({ user_id: 1, email: 'a@example.com', name: null, password_hash: 'h', at: AT }).reduce(
  evolve,
  null as Account | null,
)!
const key = (api_key_id: number, expires_at: string | null = null) => ({
  api_key_id,
  name: 'plugin',
  scopes: ['read' as const],
  key_hash: hashOfToken(`bck_1.${api_key_id}`),
  expires_at,
  created_at: AT.toISOString(),
})
const withKeys = (...keys: ReturnType<typeof key>[]): Account =>
  keys.reduce((before, each) => addKey(before, each).reduce(evolve, before as Account | null)!, account)

describe('scoped keys', () => {
  it('are found by their text until they expire or are removed', () => {
    const some = withKeys(key(7), key(8, END))
    expect(scopedKeyOf(some, hashOfToken('bck_1.7'), AT)?.api_key_id).to.equal(7)
    expect(scopedKeyOf(some, hashOfToken('bck_1.8'), new Date(Date.parse(END) - 1))?.api_key_id).to.equal(8)
    expect(scopedKeyOf(some, hashOfToken('bck_1.8'), new Date(END))).to.equal(null)
    expect(scopedKeyOf(some, hashOfToken('bck_1.9'), AT)).to.equal(null)
    expect(
      scopedKeyOf(removeKey(some, 7).reduce(evolve, some as Account | null)!, hashOfToken('bck_1.7'), AT),
    ).to.equal(null)
  })

  it('are limited to 20, and cannot be created already expired', () => {
    const full = withKeys(...Array.from({ length: 20 }, (_, index) => key(index + 1)))
    expect(() => addKey(full, key(21))).to.throw('at most 20')
    expect(() => addKey(account, key(1, AT.toISOString()))).to.throw('must be in the future')
    expect(() => removeKey(account, 1)).to.throw('does not exist')
  })

  for (const [held, needed, may] of [
    [['read'], ['read'], true],
    [['write'], ['read'], true],
    [['read'], ['write'], false],
    [['connect'], ['write', 'connect'], true],
    [['connect'], ['read'], false],
    [['receive'], ['read'], false],
    [['write'], ['receive'], false],
    [['write'], ['connect'], false],
    [['read', 'write', 'connect', 'receive'], [], false],
  ] as [Scope[], Scope[], boolean][])
    it(`with ${held.join(', ')} ${may ? 'allow' : 'refuse'} ${needed.join(' or ') || 'an action that no key may do'}`, () => {
      expect(allows({ scopes: held }, needed)).to.equal(may)
    })

  it('name the required scope in a refusal', () => {
    expect(scopeMissing(['write', 'connect']).message).to.equal(
      'This key lacks a scope. It needs `write` or `connect`.',
    )
    expect(scopeMissing([]).code).to.equal('SCOPE_MISSING')
  })
})
