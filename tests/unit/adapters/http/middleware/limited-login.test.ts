import { expect } from 'chai'
import type { ApiContext } from '../../../../../adapters/http/context.ts'
import { limitedLogin } from '../../../../../adapters/http/middleware/limited-login.ts'
import { errorOf } from '../../../../harness/outcomes.ts'

/** An account with more failed logins than its limit. @param known  what the database answers about the address */
const loginWith = (known: () => Promise<unknown[]>) => {
  const reached = new Error('the password is checked')
  const counter = Object.assign(() => ({ calls: 101, endsInMs: 60_000 }), { undo: () => {} })
  const parts = {
    settings: { jwtSecret: 'a secret of more than thirty-two bytes', rateLimits: {} },
    counters: { exact: () => counter },
    database: { of: () => ({ query: known }) },
    store: { read: () => Promise.reject(reached) },
  }
  const context = { ip: '192.0.2.1', set: () => {} } as unknown as ApiContext
  const given = { email: 'owner@example.com', password: 'a password' }
  return { reached, error: errorOf(limitedLogin(parts as never).logIn(context, given)) }
}

describe('a login at an account with too many failures', () => {
  it('is refused from an unknown address only', async () => {
    expect(await loginWith(() => Promise.resolve([])).error).to.include({ code: 'RATE_LIMITED' })
    const { reached, error } = loginWith(() => Promise.resolve([{}]))
    expect(await error).to.equal(reached)
  })

  it('is not refused while Postgres cannot say which addresses are known, so that an outage locks no owner out', async () => {
    const { reached, error } = loginWith(() => Promise.reject(new Error('away')))
    expect(await error).to.equal(reached)
  })
})
