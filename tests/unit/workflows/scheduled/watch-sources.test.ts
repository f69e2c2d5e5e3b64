import { expect } from 'chai'
import type { Account } from '../../../../domain/account/account.ts'
import { devicePath, keyPath, mailboxPath, URL_PATH, type ReceivePath } from '../../../../domain/arrival/origin.ts'
import { watchSources } from '../../../../workflows/scheduled/watch-sources.ts'
import { accountOf } from '../../../harness/accounts.ts'

const USER = 7
const NOW = new Date('2026-03-31T00:00:00.000Z')
const RHYTHM = {
  first_seen_at: '2026-03-01T00:00:00.000Z',
  last_seen_at: '2026-03-10T00:00:00.000Z',
  times: 100,
  usual_pause_s: 3_600,
}

const key = (api_key_id: number, scopes: string[]) => [api_key_id, { api_key_id, name: 'key', scopes }]
const mailbox = (mail_account_id: number, is_active: 0 | 1) => [
  mail_account_id,
  { mail_account_id, email: 'shop@example.com', is_active },
]

const raisedFor = async (...paths: ReceivePath[]): Promise<string[]> => {
  const account = {
    ...accountOf(USER),
    api_keys: new Map([key(3, ['receive']), key(4, ['transactions'])] as never),
    mail_accounts: new Map([mailbox(5, 1), mailbox(6, 0)] as never),
  } as Account
  const subjects: string[] = []
  const job = watchSources({
    quiet: async () => paths.map((path) => ({ user_id: USER, path, rhythm: RHYTHM })),
    lasting: async () => [],
    accounts: { find: async () => account },
    alerts: {
      raise: async ({ subject }) => {
        subjects.push(subject)
        return { checkpoint: '1' }
      },
      end: async () => ({ checkpoint: null }),
    },
    clock: { now: () => NOW },
  })
  await job.run(new AbortController().signal)
  return subjects
}

describe('the watch on silent sources', () => {
  it('covers phones, keys that may send notifications, mailboxes and the personal URL', async () =>
    expect(await raisedFor(devicePath(1), keyPath(3), mailboxPath(5), URL_PATH)).to.have.lengthOf(4))

  it('covers no source that was removed, switched off or may no longer send', async () =>
    expect(await raisedFor(devicePath(9), keyPath(4), keyPath(8), mailboxPath(6))).to.deep.equal([]))
})
