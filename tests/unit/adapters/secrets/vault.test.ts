import { expect } from 'chai'
import fc from 'fast-check'
import { NotOpened, openVault } from '../../../../adapters/secrets/vault.ts'

const KEY = 'a'.repeat(64)
const NEWER = 'b'.repeat(64)

describe('vault', () => {
  it('gives back any text, and never seals one the same way twice', () => {
    const vault = openVault([KEY])
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const sealed = vault.seal(text)
        expect(vault.open(sealed)).to.equal(text)
        expect(vault.seal(text)).to.not.equal(sealed)
      }),
    )
  })

  it('hides the text', () => {
    const sealed = openVault([KEY]).seal('mat khau')
    expect(sealed).to.match(/^v1\.[0-9a-f]{8}\.[\w-]{16}\.[\w-]+$/)
    expect(Buffer.from(sealed.split('.')[3] ?? '', 'base64url').toString('latin1')).to.not.include('mat khau')
  })

  it('opens what an older key sealed, and seals under the first', () => {
    const old = openVault([KEY]).seal('secret')
    const rotated = openVault([NEWER, KEY])
    expect(rotated.open(old)).to.equal('secret')
    expect(openVault([NEWER]).open(rotated.seal('secret'))).to.equal('secret')
  })

  it('refuses what was sealed under a key it does not have, naming the key', () => {
    const sealed = openVault([KEY]).seal('secret')
    expect(() => openVault([NEWER]).open(sealed)).to.throw(NotOpened, sealed.split('.')[1])
  })

  it('refuses a text that was altered anywhere', () => {
    const vault = openVault([KEY, NEWER])
    const sealed = vault.seal('secret')
    for (let at = 0; at < sealed.length - 1; at++) {
      const altered = sealed.slice(0, at) + (sealed[at] === 'A' ? 'B' : 'A') + sealed.slice(at + 1)
      expect(() => vault.open(altered), `at ${at}`).to.throw(NotOpened)
    }
    const [version, id, nonce, body] = sealed.split('.')
    expect(() => vault.open(`${version}.${id}.${nonce}.${body?.slice(0, 24)}`)).to.throw(NotOpened)
    expect(() => vault.open(`${sealed}.more`)).to.throw(NotOpened)
    expect(() => vault.open('secret')).to.throw(NotOpened)
  })

  it('does not take the id of another key for granted', () => {
    const [, , nonce, body] = openVault([KEY]).seal('secret').split('.')
    const [, otherId] = openVault([NEWER]).seal('x').split('.')
    expect(() => openVault([KEY, NEWER]).open(`v1.${otherId}.${nonce}.${body}`)).to.throw(NotOpened)
  })

  it('needs keys of 64 hexadecimal characters', () => {
    expect(() => openVault([])).to.throw()
    expect(() => openVault(['abc'])).to.throw()
  })
})
