/** The reactors on a store of their own, with events that happen a minute apart. */
import { expect } from 'chai'
import { randomUUID } from 'node:crypto'
import { openIds } from '../../../adapters/system/ids.ts'
import { parseEvent } from '../../../domain/parse-event.ts'
import { openPostgresEventStore } from '../../../adapters/event-store/postgres/store.ts'
import { openDatabase } from '../../../adapters/database/database.ts'
import { openPutOffReactions } from '../../../adapters/postgres/ops/put-off-reactions.ts'
import { openReactorCheckpoint } from '../../../adapters/postgres/ops/reactor-checkpoint.ts'
import { openVault } from '../../../adapters/secrets/vault.ts'
import { openSender } from '../../../adapters/webhook-sender/sender.ts'
import { accountStream } from '../../../domain/account/events.ts'
import type { Mail, Mailer } from '../../../domain/ports.ts'
import { transactionStream } from '../../../domain/transaction/events.ts'
import { mailLinks } from '../../../workflows/accounts/mail-links.ts'
import { allReactors } from '../../../workflows/reactors/all.ts'
import type { Reactor } from '../../../workflows/reactors/reactor.ts'
import { runReactors } from '../../../workflows/reactors/run.ts'
import { goldenFile } from '../../corpus/golden-events.ts'
import { eventually } from '../../harness/eventually.ts'
import { freshDatabase } from '../../harness/postgres.ts'

export const USER = 1
export const RULE = 5

export type ReactorSetting = Awaited<ReturnType<typeof openReactorSetting>>

export const openReactorSetting = async () => {
  const testDatabase = await freshDatabase()
  const database = openDatabase(testDatabase.url)
  const store = await openPostgresEventStore({ url: testDatabase.url, parse: parseEvent })
  const logged: { what: string; fields: Record<string, unknown> }[] = []
  const stops: (() => Promise<void>)[] = []
  let minute = 0
  const mails: Mail[] = []

  /** Appends one event per minute and returns its id. */
  const happened = async (stream: string, type: string, given: object): Promise<string> => {
    const data = { ...(goldenFile(type, 1)!.examples[0] as object), ...given }
    const [last] = (await store.read([{ stream, backwards: true, limit: 1 }]))[0]!
    const expectedRevision = last?.revision ?? -1
    const at = new Date(Date.parse('2026-03-01T00:00:00Z') + ++minute * 60_000).toISOString()
    const metadata = { user_id: USER, at, correlation_id: `c${minute}`, causation_id: 'test', version: 1 }
    const id = randomUUID()
    const [result] = await store.append([[{ stream, expectedRevision, events: [{ id, type, data, metadata }] }]])
    expect(result?.ok).to.equal(true)
    return id
  }

  const account = (type: string, data: object = {}) =>
    happened(accountStream(USER), type, { user_id: USER, rule_id: RULE, ...data })
  const transaction = (transaction_id: number, type: string, data: object = {}) =>
    happened(transactionStream(transaction_id), type, { transaction_id, ...data })
  const gone = (transaction_id: number) =>
    transaction(transaction_id, 'DeliveryEnded', { rule_id: RULE, reason: 'gone' })

  const all = (): readonly Reactor[] => {
    const clock = { now: () => new Date() }
    const mailer: Mailer = { send: async (mail) => void mails.push(mail) }
    const links = mailLinks('secret', 'https://x')
    return allReactors({
      store,
      clock,
      ids: openIds({ store, clock }),
      vault: openVault(['ab'.repeat(32)]),
      mailer,
      links,
      sender: openSender({ allowPrivate: true }),
      log: { warn: () => {} },
      adminEmail: 'owner@baoco.local',
      commission: 20,
      plans: null,
      maxAgeMs: 86_400_000,
    })
  }

  const start = (reactions: readonly Reactor[] = all()) => {
    const stopping = new AbortController()
    const line = (fields: object, what: string) => void logged.push({ what, fields: fields as Record<string, unknown> })
    const running = runReactors(
      {
        store,
        reactors: reactions,
        checkpoint: openReactorCheckpoint(database),
        putOffs: openPutOffReactions(database),
        log: { warn: line, error: line },
        mostFailures: 4,
      },
      stopping.signal,
    )
    const stop = async () => {
      stopping.abort()
      await running
    }
    stops.push(stop)
    return stop
  }

  /** Waits until this event was handled with all its effects. Events that follow from it may then be handled too. */
  const met = async (eventId: string) => {
    const { checkpoint } = (await store.readAll(null, 1_000)).find(({ id }) => id === eventId)!
    const reached = async () => (await openReactorCheckpoint(database).load())?.checkpoint
    await eventually(
      async () => {
        const at = await reached()
        return at !== undefined && !store.isAfter(checkpoint, at)
      },
      { what: 'the event' },
    )
  }

  const typesOf = async (stream: string): Promise<string[]> =>
    (await store.read([{ stream }]))[0]!.map(({ type }) => type)
  const pauses = async () =>
    (await store.read([{ stream: accountStream(USER) }]))[0]!.filter(({ type }) => type === 'RulePaused')

  return {
    database,
    store,
    logged,
    mails,
    happened,
    account,
    transaction,
    gone,
    all,
    start,
    met,
    typesOf,
    pauses,
    /** The next events happen about ten minutes ago. */
    beginNow: () => void (minute = Math.floor((Date.now() - Date.parse('2026-03-01T00:00:00Z')) / 60_000) - 10),
    close: async () => {
      for (const stop of stops) await stop()
      await store.close()
      await database.close()
      await testDatabase.drop()
    },
  }
}
