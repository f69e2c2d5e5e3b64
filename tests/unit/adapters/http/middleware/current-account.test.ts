import { expect } from 'chai'
import { currentAccount } from '../../../../../adapters/http/middleware/current-account.ts'
import { StoreUnavailable } from '../../../../../domain/errors.ts'
import { UnreadableEvent } from '../../../../../domain/parse-event.ts'
import { accountOf } from '../../../../harness/accounts.ts'

const account = accountOf(1)

/** @param error  with which the store refuses to read · @param projected  the newest revision in the read models */
const asked = (error: Error, projected: number | null = 3, method = 'GET') =>
  currentAccount(
    {
      accounts: { confirmed: () => ({ account, revision: 3 }), find: () => Promise.reject(error) },
      database: {
        of: () => ({ query: () => Promise.resolve(projected === null ? [] : [{ revision: projected } as never]) }),
      },
    },
    method,
    1,
  ).catch((refusal: unknown) => refusal)

describe('the account of a caller while the store is away', () => {
  const away = new StoreUnavailable('away')

  it('is the confirmed one, if the request only reads and the read models have no newer event', async () => {
    expect(await asked(away)).to.deep.equal({ account, away })
    for (const refused of [asked(away, 4), asked(away, null), asked(away, 3, 'POST')])
      expect(await refused).to.equal(away)
  })

  it('is not known if one of its events cannot be read, because it may have revoked the key', async () => {
    const unreadable = new UnreadableEvent({ stream: 'account-1', revision: 4, data: { detail: '' } } as never)
    expect(await asked(unreadable)).to.equal(unreadable)
  })
})
