import { expect } from 'chai'
import type { Account } from '../../../../domain/account/account.ts'
import {
  devicePath,
  keyPath,
  mailboxPath,
  URL_PATH,
  type ReceivePath,
} from '../../../../domain/arrival/receive-paths.ts'
import { silentAfter } from '../../../../domain/sources/silence.ts'
import { watchSources } from '../../../../workflows/scheduled/watch-sources.ts'
import { accountOf } from '../../../harness/accounts.ts'

const USER = 7
const NOW = new Date('2026-03-31T00:00:00.000Z')
const RHYTHM = {
  first_seen_at: '2026-03-01T00:00:00.000Z',
  last_seen_at: '2026-03-10T00:00:00.000Z',
  times: 100,
  usual_pause_s: 3_600,
  asleep_s: 0,
}

const key = (api_key_id: number, scopes: string[]) => [api_key_id, { api_key_id, name: 'key', scopes }]
const mailbox = (mail_account_id: number, is_active: 0 | 1) => [
  mail_account_id,
  { mail_account_id, email: 'shop@example.com', is_active },
]

interface Watched {
  paths: readonly ReceivePath[]
  lastSeen?: string
  lasting?: { user_id: number; subject: string }[]
  /** The revision of the account at each look. Default: one look. */
  revisions?: readonly (number | null)[]
}

/** Looks once for each revision. @returns the subjects of the alerts that are raised, with the start of their cause, of those that end, forgotten paths, and the number of reads */
const watched = async ({ paths, lastSeen = RHYTHM.last_seen_at, lasting = [], revisions = [1] }: Watched) => {
  const account = {
    ...accountOf(USER),
    api_keys: new Map([key(3, ['receive']), key(4, ['transactions'])] as never),
    mail_accounts: new Map([mailbox(5, 1), mailbox(6, 0)] as never),
  } as Account
  const raised: (readonly [subject: string, since: string | undefined])[] = []
  const ended: string[] = []
  const forgotten: ReceivePath[] = []
  let reads = 0
  let account_revision: number | null = null
  const job = watchSources({
    quiet: async () =>
      paths.map((path) => ({ user_id: USER, path, rhythm: { ...RHYTHM, last_seen_at: lastSeen }, account_revision })),
    forget: async ({ path }) => void forgotten.push(path),
    lasting: async () => lasting,
    accounts: { find: async () => (reads++, account) },
    alerts: {
      raise: async ({ subject, since }) => {
        raised.push([subject, since])
        return { checkpoint: '1' }
      },
      end: async ({ user_id, subject }) => {
        ended.push(`${user_id} ${subject}`)
        return { checkpoint: '1' }
      },
    },
    clock: { now: () => NOW },
  })
  for (account_revision of revisions) await job.run(new AbortController().signal)
  return { raised, ended, forgotten, reads }
}
const raisedFor = async (...paths: ReceivePath[]) => (await watched({ paths })).raised

describe('the watch on silent sources', () => {
  it('covers phones, keys that may send notifications, mailboxes and the personal URL', async () =>
    expect(await raisedFor(devicePath(1), keyPath(3), mailboxPath(5), URL_PATH)).to.have.lengthOf(4))

  it('covers no source that was removed, switched off or may no longer send', async () =>
    expect(await raisedFor(devicePath(9), keyPath(4), keyPath(8), mailboxPath(6))).to.deep.equal([]))

  it('covers no source that is not silent yet', async () =>
    expect((await watched({ paths: [URL_PATH], lastSeen: '2026-03-30T23:00:00.000Z' })).raised).to.deep.equal([]))

  it('forgets sources that were removed, and those only', async () => {
    const paths = [devicePath(9), keyPath(4), keyPath(8), mailboxPath(6), mailboxPath(7), URL_PATH]
    expect((await watched({ paths })).forgotten).to.deep.equal([devicePath(9), keyPath(8), mailboxPath(7)])
  })

  it('reads an account again only after it changed, once the alert is shown', async () => {
    const lasting = [{ user_id: USER, subject: 'receive_url' }]
    const readsOf = async (more: Partial<Watched>) => (await watched({ paths: [URL_PATH], lasting, ...more })).reads
    expect(await readsOf({ revisions: [1, 1, 1] })).to.equal(1)
    expect(await readsOf({ revisions: [1, 1, 2, 2] })).to.equal(2)
    expect(await readsOf({ revisions: [null, null], lasting: [] }), 'not listed').to.equal(2)
    expect(await readsOf({ revisions: [1, 1], lasting: [] }), 'no alert yet').to.equal(2)
    expect(await readsOf({ revisions: [1, 1], paths: [mailboxPath(6)] }), 'switched off').to.equal(1)
    expect((await watched({ paths: [URL_PATH], lasting, revisions: [1, 1] })).ended).to.deep.equal([])
  })

  it('names as the start of a silence the time at which the source was late', async () => {
    const [[, since] = []] = await raisedFor(URL_PATH)
    expect(Date.parse(since!)).to.equal(Date.parse(RHYTHM.last_seen_at) + silentAfter(RHYTHM)! * 1_000)
  })

  it('ends the alerts of sources that are no longer silent, and those only', async () => {
    const lasting = [
      { user_id: USER, subject: 'receive_url' },
      { user_id: USER, subject: 'device:1' },
      { user_id: USER + 1, subject: 'receive_url' },
    ]
    const { ended } = await watched({ paths: [URL_PATH], lasting })
    expect(ended).to.deep.equal([`${USER} device:1`, `${USER + 1} receive_url`])
  })
})
