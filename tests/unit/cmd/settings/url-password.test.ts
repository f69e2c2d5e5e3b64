import { createRequire } from 'node:module'
import { parseConnectionString } from '@eventstore/db-client/dist/Client/parseConnectionString.js'
import { expect } from 'chai'
import fc from 'fast-check'
import { eventStoreUrlProblem } from '../../../../adapters/event-store/eventstoredb/url.ts'
import { withPassword } from '../../../../cmd/settings/url-password.ts'

// The parser of the Postgres driver, which is a dependency of the driver.
const ofDriver = createRequire(createRequire(import.meta.url).resolve('pg'))
const parsePostgresUrl = ofDriver('pg-connection-string') as (url: string) => Record<string, unknown>

describe('withPassword', () => {
  it('gives every client exactly the password', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), (password) => {
        const postgres = parsePostgresUrl(withPassword('postgres://baoco@db:5433/baoco?sslmode=verify-full', password)!)
        expect(postgres).to.include({ user: 'baoco', password, host: 'db', port: '5433', database: 'baoco' })
        const esdb = withPassword('esdb://admin@a:2113,b:2113?nodePreference=leader', password)!
        expect(eventStoreUrlProblem(esdb)).to.equal(null)
        expect(parseConnectionString(esdb).defaultCredentials).to.deep.equal({ username: 'admin', password })
        const smtp = new URL(withPassword('smtps://shop%40example.com@mail.example:465?from=a@b.example', password)!)
        expect([smtp.username, decodeURIComponent(smtp.password), smtp.host]).to.deep.equal([
          'shop%40example.com',
          password,
          'mail.example:465',
        ])
      }),
      { examples: [['/ @ # % $ :'], ["p'a(ss)*!"], ['%2f'], ['mật khẩu']] },
    )
  })

  it('keeps a password that the URL contains', () => {
    expect(withPassword('postgres://baoco:own@db/baoco', 'other')).to.equal('postgres://baoco:own@db/baoco')
    expect(withPassword('postgres://baoco:@db/baoco', 'other')).to.equal('postgres://baoco:other@db/baoco')
  })

  it('returns null without a user', () => {
    for (const url of ['postgres://db/baoco', 'postgres://:x@db/baoco', 'esdb://a:2113?tls=false', 'db', ''])
      expect(withPassword(url, 'x'), url).to.equal(null)
  })
})
