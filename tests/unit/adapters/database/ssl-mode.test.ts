import { createRequire } from 'node:module'
import { setImmediate } from 'node:timers/promises'
import { expect } from 'chai'
import { withStrictSslMode } from '../../../../adapters/database/ssl-mode.ts'

const ofDriver = createRequire(createRequire(import.meta.url).resolve('pg'))
const parse = ofDriver('pg-connection-string') as (url: string) => { ssl?: unknown }

describe('withStrictSslMode', () => {
  const sslOf = (options: string) => parse(withStrictSslMode(`postgres://baoco:pw@db/baoco${options}`)).ssl

  it('keeps the meaning of each mode, without the warning of the driver', async () => {
    const warnings: string[] = []
    const listen = ({ message }: Error) => void warnings.push(message)
    process.on('warning', listen)
    try {
      for (const mode of ['prefer', 'require', 'verify-ca', 'verify-full'])
        for (const options of [`?sslmode=${mode}`, `?application_name=x&sslmode=${mode}&keepalives=1`])
          expect(sslOf(options), options).to.deep.equal({})
      expect(sslOf('?sslmode=disable')).to.equal(false)
      expect(sslOf('?sslmode=no-verify')).to.deep.equal({ rejectUnauthorized: false })
      expect(sslOf('?uselibpqcompat=true&sslmode=require')).to.deep.equal({ rejectUnauthorized: false })
      expect(sslOf('')).to.equal(undefined)
      // A warning is emitted after the current work.
      await setImmediate()
    } finally {
      process.off('warning', listen)
    }
    expect(warnings).to.deep.equal([])
  })

  it('changes nothing else', () => {
    for (const url of ['postgres://require:pw@db/sslmode=require', 'postgres://u:sslmode=prefer@db/x?sslmode=disable'])
      expect(withStrictSslMode(url)).to.equal(url)
  })
})
