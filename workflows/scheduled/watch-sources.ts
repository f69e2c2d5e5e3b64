// Tests: tests/unit/workflows/scheduled/watch-sources.test.ts, tests/integration/scheduled/watch-sources.test.ts
/**
 * Checks for silent sources. Raises an alert for each one, and ends it when the source is seen again or was removed. Sources stay silent for
 * ever, as in shops that were given up. So an account is read again only after it has changed. What is known of a removed source is forgotten.
 */
import type { InEach } from '../../domain/account/language.ts'
import type { Account } from '../../domain/account/account.ts'
import { sourceSubject } from '../alerts/subjects.ts'
import { devicePath, keyPath, mailboxPath, URL_PATH, type ReceivePath } from '../../domain/arrival/receive-paths.ts'
import { silentAfter, silentSince, type Rhythm } from '../../domain/sources/silence.ts'
import type { Clock } from '../../domain/ports.ts'
import { DAY_MS } from '../../domain/time.ts'
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
  /** Of the newest event of its account; null if the account is not listed. */
  account_revision: number | null
}

export interface WatchSourcesParts {
  /** Sources that were last seen some hours ago. */
  quiet: (now: Date) => Promise<KnownSource[]>
  forget: (source: { user_id: number; path: ReceivePath }) => Promise<void>
  /** Open alerts about silent sources, by user and subject. */
  lasting: () => Promise<{ user_id: number; subject: string }[]>
  accounts: Pick<Accounts, 'find'>
  alerts: Pick<Alerts, 'raise' | 'end'>
  clock: Clock
}

const EVERY_TEN_MINUTES = '5-59/10 * * * *'
const MINUTE_MS = 60_000
/** A source that is not silent, because too little is known of it, may have been removed. */
const UNSEEN_MS = 7 * DAY_MS

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

/** Whether the source was removed, not only switched off. */
const isRemoved = ({ api_keys, devices, mail_accounts }: Account, path: ReceivePath): boolean => {
  const [kind = '', id] = path.split('-')
  const known: Readonly<Record<string, ReadonlyMap<number, unknown>>> = {
    device: devices,
    key: api_keys,
    mailbox: mail_accounts,
  }
  return known[kind]?.has(Number(id)) === false
}

/** An account as it was when a source was looked up in it. */
interface LookedUp {
  account_revision: number | null
  /** Whether the source exists and is switched on. */
  isUsed: boolean
}

export const watchSources = ({ quiet, forget, lasting, accounts, alerts, clock }: WatchSourcesParts): ScheduledJob => {
  /** By user and subject. */
  let lookedUp: ReadonlyMap<string, LookedUp> = new Map()

  const run = async (signal: AbortSignal): Promise<{ raised: number; ended: number } | null> => {
    const now = clock.now()
    const caused = { kind: 'source_silent', ...ownCause() } as const
    const open = await lasting()
    const isOpen = new Set(open.map(({ user_id, subject }) => `${user_id} ${subject}`))
    const isSilent = new Set<string>()
    const looked = new Map<string, LookedUp>()
    let raised = 0
    for (const { user_id, path, rhythm, account_revision } of await quiet(now)) {
      if (signal.aborted) return null
      const unseen_ms = now.getTime() - Date.parse(rhythm.last_seen_at)
      const isLate = silentSince(rhythm, now) !== null
      if (!isLate && unseen_ms < UNSEEN_MS) continue
      const subject = sourceSubject(path)
      const key = `${user_id} ${subject}`
      const before = lookedUp.get(key)
      const isSame = account_revision !== null && before?.account_revision === account_revision
      if (isSame && (!isLate || !before.isUsed || isOpen.has(key))) {
        looked.set(key, before)
        if (isLate && before.isUsed) isSilent.add(key)
        continue
      }
      const account = await unlessUnreadable(() => accounts.find(user_id))
      if (!account) continue
      if (isRemoved(account, path)) {
        await forget({ user_id, path })
        continue
      }
      const name = namesOf(account).get(path)
      looked.set(key, { account_revision, isUsed: name !== undefined })
      if (!name || !isLate) continue
      isSilent.add(key)
      // The cause began when the source became late, not when it was last seen.
      const late_s = silentAfter(rhythm)! + rhythm.asleep_s
      const since = new Date(Date.parse(rhythm.last_seen_at) + late_s * 1_000).toISOString()
      const minutes = Math.round(unseen_ms / MINUTE_MS)
      const text: InEach = {
        vi: TEXTS.vi.alerts.sourceSilent(name.vi, minutes),
        en: TEXTS.en.alerts.sourceSilent(name.en, minutes),
      }
      const alert = { ...caused, user_id, subject, text, since }
      if ((await unlessUnreadable(() => alerts.raise(alert)))?.checkpoint) raised++
    }
    lookedUp = looked
    let ended = 0
    for (const { user_id, subject } of open) {
      if (signal.aborted) return null
      if (isSilent.has(`${user_id} ${subject}`)) continue
      const end = { ...caused, user_id, subject, until: now.toISOString() }
      if ((await unlessUnreadable(() => alerts.end(end)))?.checkpoint) ended++
    }
    return raised + ended > 0 ? { raised, ended } : null
  }

  return { name: 'watch_sources', at: EVERY_TEN_MINUTES, run }
}
