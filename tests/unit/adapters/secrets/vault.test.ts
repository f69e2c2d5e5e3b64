import { expect } from 'chai'
import fc from 'fast-check'
import { openVault } from '../../../../adapters/secrets/vault.ts'
import { NotOpened } from '../../../../domain/errors.ts'

const KEY = 'a'.repeat(64)
const NEWER = 'b'.repeat(64)

describe('the vault', () => {
  it('returns any sealed text, and never seals a text the same way twice', () => {
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

  it('opens a text sealed with an older key, and seals with the first key', () => {
    const old = openVault([KEY]).seal('secret')
    const rotated = openVault([NEWER, KEY])
    expect(rotated.open(old)).to.equal('secret')
    expect(openVault([NEWER]).open(rotated.seal('secret'))).to.equal('secret')
  })

  it('refuses a text sealed with an unknown key, and names the key', () => {
    const sealed = openVault([KEY]).seal('secret')
    expect(() => openVault([NEWER]).open(sealed)).to.throw(NotOpened, sealed.split('.')[1])
  })

  it('refuses a sealed text that was altered at any character', () => {
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

  it('refuses a sealed text that carries the id of another key', () => {
    const [, , nonce, body] = openVault([KEY]).seal('secret').split('.')
    const [, otherId] = openVault([NEWER]).seal('x').split('.')
    expect(() => openVault([KEY, NEWER]).open(`v1.${otherId}.${nonce}.${body}`)).to.throw(NotOpened)
  })

  it('requires keys of 64 hexadecimal characters', () => {
    expect(() => openVault([])).to.throw()
    expect(() => openVault(['abc'])).to.throw()
  })
})
