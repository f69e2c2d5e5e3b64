import { expect } from 'chai'
import { openLastSeenNotes } from '../../../adapters/postgres/ops/last-seen.ts'
import { HOUR_MS } from '../../../domain/time.ts'
import { lastingSilences, quietSources } from '../../../projections/account/last-seen-queries.ts'
import { sweepNotifications } from '../../../adapters/postgres/ops/sweep-notifications.ts'
import { watchSources } from '../../../workflows/scheduled/watch-sources.ts'
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
