// Tests: tests/unit/workflows/scheduled/watch-sources.test.ts, tests/integration/scheduled/watch-sources.test.ts
/** Checks for silent sources. Raises an alert for each one, and ends it when the source is seen again or was removed. */
import type { InEach } from '../../domain/account/language.ts'
import type { Account } from '../../domain/account/account.ts'
import { sourceSubject } from '../alerts/subjects.ts'
import { devicePath, keyPath, mailboxPath, URL_PATH, type ReceivePath } from '../../domain/arrival/receive-paths.ts'
import { silentAfter, silentSince, type Rhythm } from '../../domain/sources/silence.ts'
import type { Clock } from '../../domain/ports.ts'
import type { Accounts } from '../accounts/accounts.ts'
import type { Alerts } from '../alerts/alerts.ts'
import { inEach, TEXTS } from '../texts/texts.ts'
import type { Texts } from '../texts/types.ts'
import { unlessUnreadable } from '../support/unless-unreadable.ts'
import type { ScheduledJob } from './scheduled-work.ts'
import { ownCause } from '../support/stamp.ts'

export interface KnownSource {
  user_id: number
  path: ReceivePath
  rhythm: Rhythm
}

export interface WatchSourcesParts {
  /** Sources that were last seen some hours ago. */
  quiet: (now: Date) => Promise<KnownSource[]>
  /** Open alerts about silent sources, by user and subject. */
  lasting: () => Promise<{ user_id: number; subject: string }[]>
  accounts: Pick<Accounts, 'find'>
  alerts: Pick<Alerts, 'raise' | 'end'>
  clock: Clock
}

const EVERY_TEN_MINUTES = '5-59/10 * * * *'
const MINUTE_MS = 60_000

/** The names of an account's sources, by receive path. */
const namesOf = ({ api_keys, devices, mail_accounts, receive_url }: Account): Map<ReceivePath, InEach> => {
  const names = new Map<ReceivePath, InEach>()
  const add = (path: ReceivePath, nameIn: (texts: Texts['alerts']['sources']) => string) =>
    names.set(
      path,
      inEach(({ alerts }) => nameIn(alerts.sources)),
    )
  for (const { device_id, name } of devices.values()) add(devicePath(device_id), (texts) => texts.device(name))
  for (const { api_key_id, name, scopes } of api_keys.values())
    if (scopes.includes('receive')) add(keyPath(api_key_id), (texts) => texts.key(name))
  for (const { mail_account_id, email, is_active } of mail_accounts.values())
    if (is_active === 1) add(mailboxPath(mail_account_id), (texts) => texts.mailbox(email))
  if (receive_url) add(URL_PATH, (texts) => texts.url)
  return names
}

export const watchSources = ({ quiet, lasting, accounts, alerts, clock }: WatchSourcesParts): ScheduledJob => ({
  name: 'watch_sources',
  at: EVERY_TEN_MINUTES,
  run: async (signal) => {
    const now = clock.now()
    const caused = { kind: 'source_silent', ...ownCause() } as const
    const silent = (await quiet(now)).filter(({ rhythm }) => silentSince(rhythm, now) !== null)
    const isSilent = new Set<string>()
    let raised = 0
    for (const { user_id, path, rhythm } of silent) {
      if (signal.aborted) return null
      const account = await unlessUnreadable(() => accounts.find(user_id))
      const name = account && namesOf(account).get(path)
      if (!name) continue
      const subject = sourceSubject(path)
      isSilent.add(`${user_id} ${subject}`)
      // The cause began when the source became late, not when it was last seen.
      const late_s = silentAfter(rhythm)! + rhythm.asleep_s
      const since = new Date(Date.parse(rhythm.last_seen_at) + late_s * 1_000).toISOString()
      const minutes = Math.round((now.getTime() - Date.parse(rhythm.last_seen_at)) / MINUTE_MS)
      const text: InEach = {
        vi: TEXTS.vi.alerts.sourceSilent(name.vi, minutes),
        en: TEXTS.en.alerts.sourceSilent(name.en, minutes),
      }
      const alert = { ...caused, user_id, subject, text, since }
      if ((await unlessUnreadable(() => alerts.raise(alert)))?.checkpoint) raised++
    }
    let ended = 0
    for (const { user_id, subject } of await lasting()) {
      if (signal.aborted) return null
      if (isSilent.has(`${user_id} ${subject}`)) continue
      const end = { ...caused, user_id, subject, until: now.toISOString() }
      if ((await unlessUnreadable(() => alerts.end(end)))?.checkpoint) ended++
    }
    return raised + ended > 0 ? { raised, ended } : null
  },
})
