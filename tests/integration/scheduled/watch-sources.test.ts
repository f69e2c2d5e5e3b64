import { expect } from 'chai'
import { forgetSource, openLastSeenNotes } from '../../../adapters/postgres/ops/last-seen.ts'
import { HOUR_MS } from '../../../domain/time.ts'
import { lastingSilences, quietSources } from '../../../projections/account/last-seen-queries.ts'
import { silentSince } from '../../../domain/sources/silence.ts'
import { sweepNotifications } from '../../../adapters/postgres/ops/sweep-notifications.ts'
import { watchSources, type KnownSource } from '../../../workflows/scheduled/watch-sources.ts'
import { eventually } from '../../harness/eventually.ts'
import { openApi, type ApiUnderTest } from '../http/api-under-test.ts'
import { shownAlerts } from '../http/shown-alerts.ts'

describe('the watch on silent sources', function () {
  let api: ApiUnderTest
  before(async () => {
    api = await openApi()
  })
  after(async () => {
    await api.close()
  })

  const never = new AbortController().signal
  const ask = async (path: string) => (await api.ask('GET', path, { key: api.owner.api_key })).body.data
  const seen = async (...at: Date[]): Promise<void> => {
    for (const each of at) {
      const notes = openLastSeenNotes(api.database, (error) => {
        throw error
      })
      notes.note(api.owner.user_id, 'url', each)
      await notes.close()
    }
  }
  const look = async () => {
    const { accounts, clock } = api
    const job = watchSources({
      quiet: (now) => quietSources(api.database, now),
      forget: (source) => forgetSource(api.database, source),
      lasting: () => lastingSilences(api.database),
      accounts,
      alerts: shownAlerts(api),
      clock,
    })
    await job.run(never)
  }
  const alerts = async () =>
    ((await ask('/api/alerts')) as { kind: string; subject: string; until: string | null }[]).filter(
      ({ kind }) => kind === 'source_silent',
    )

  it('shows them as silent and raises an alert, which ends at their next message', async () => {
    const now = Date.now()
    const hourly = Array.from({ length: 5 * 24 }, (_, n) => new Date(now - (8 * 24 - n) * HOUR_MS))
    await seen(...hourly)
    const last = hourly.at(-1)!.toISOString()
    expect(await ask('/api/receive-url')).to.include({ last_heard_at: last, usual_pause_s: 3_600, silent_since: last })
    await look()
    await look()
    const [alert, ...more] = await eventually(async () => {
      const found = await alerts()
      return found.length > 0 && found
    })
    expect(more).to.deep.equal([])
    expect(alert).to.include({ subject: 'receive_url', until: null })

    await seen(new Date(now))
    expect(await ask('/api/receive-url')).to.include({ last_heard_at: new Date(now).toISOString(), silent_since: null })
    await look()
    await eventually(async () => (await alerts())[0]?.until !== null)
  })

  it('forgets what is known of a removed source', async () => {
    const device_id = await api.nextId()
    const { user_id } = api.owner
    const rows = () => api.database.query('SELECT FROM ops.heard WHERE door = $1', [`device-${device_id}`])
    await api.database.query(
      `INSERT INTO ops.heard VALUES ($1, $2, now() - interval '9 days', now() - interval '8 days', 1, 0)`,
      [user_id, `device-${device_id}`],
    )
    await look()
    expect(await rows()).to.deep.equal([])
  })

  it('counts no time in which Baoco did not run, as while its machine was suspended over a weekend', async () => {
    const at = (hoursAgo: number) => new Date(Date.now() - hoursAgo * HOUR_MS)
    const { user_id } = api.owner
    const slept = (began: number, ended: number) =>
      api.database.query('INSERT INTO ops.delivery_gap VALUES ($1, $2)', [at(began), at(ended)])
    const silent = async () => (await quietSources(api.database, new Date())).filter(isSilent).map(({ path }) => path)
    const isSilent = ({ rhythm }: KnownSource) => silentSince(rhythm, new Date()) !== null
    await api.database.query('DELETE FROM ops.heard')
    try {
      await seen(...Array.from({ length: 5 * 24 }, (_, n) => at(71 + 5 * 24 - n)))
      await slept(71.9, 2.5)
      expect(await ask('/api/receive-url')).to.include({ usual_pause_s: 3_600, silent_since: null })
      expect(await silent()).to.deep.equal([])
      // Nothing was seen for three hours in which it ran.
      await api.database.query(`UPDATE ops.heard SET last_heard_at = last_heard_at - interval '1 hour'`)
      expect(await silent()).to.deep.equal(['url'])
      await seen(at(0))
      expect(await ask('/api/receive-url')).to.include({ usual_pause_s: 3 * 3_600, silent_since: null })
    } finally {
      await api.database.query('TRUNCATE ops.delivery_gap')
      await api.database.query('DELETE FROM ops.heard WHERE user_id = $1', [user_id])
    }
  })

  it('counts from the current time after a clock was ahead', async () => {
    const now = new Date()
    await seen(new Date(now.getTime() + 30 * 24 * HOUR_MS), now)
    expect(await ask('/api/receive-url')).to.include({ last_heard_at: now.toISOString(), silent_since: null })
  })

  it('sweeps expired rows of ignored notifications', async () => {
    await api.database.query(
      `INSERT INTO read_model.notification (id, user_id, status, source_type, source, reason, received_at, expires_at)
       SELECT id, $1, 'ignored', 'api', 'url', 'ping', now(), now() + make_interval(days => id::int - 2)
       FROM generate_series(1, 3) AS id`,
      [api.owner.user_id],
    )
    await api.database.query(
      `INSERT INTO read_model.owned_stream (stream, user_id, expires_at) VALUES
         ('unread-1', $1, now() - interval '1 day'), ('unread-3', $1, now() + interval '1 day'), ('plan-order-4', $1, NULL)`,
      [api.owner.user_id],
    )
    expect(await ask('/api/notifications')).to.have.length(1)
    await sweepNotifications(api.database).run(never)
    expect(await api.database.query('SELECT id FROM read_model.notification')).to.deep.equal([{ id: 3 }])
    expect(await api.database.query('SELECT stream FROM read_model.owned_stream ORDER BY stream')).to.deep.equal([
      { stream: 'plan-order-4' },
      { stream: 'unread-3' },
    ])
  })
})
