import { expect } from 'chai'
import { end, evolve, NO_ALERTS, raise } from '../../../../domain/alert/alerts.ts'
import type { AlertEvent } from '../../../../domain/alert/events.ts'
import { watchEndpoints, type OpenBreaker } from '../../../../workflows/scheduled/watch-endpoints.ts'

const USER = 5
const SHOP = 'https://shop.vn'
const HOUR_S = 3_600
const DAY_S = 24 * HOUR_S

/** The events of an endpoint whose breaker is open or not at each second. */
const given = (
  isOpenAt: (second: number) => boolean,
  {
    isUsed = true,
    ahead = (_second: number): number => 0,
    last = { http_status: 500, error: null } as Pick<OpenBreaker, 'http_status' | 'error'>,
  } = {},
) => ({
  when: async (seconds: number, every = 5): Promise<AlertEvent[]> => {
    const events: AlertEvent[] = []
    let now = 0
    let openSince = 0
    const at = (second: number) => new Date(Date.UTC(2026, 2, 1) + (second + ahead(second)) * 1_000).toISOString()
    const clock = () => new Date(at(now))
    const append = async (added: AlertEvent[]) => {
      if (added.length === 0) throw new Error('the stream of alerts was read in vain')
      events.push(...added)
      return { checkpoint: '1' as never }
    }
    const state = () => events.reduce(evolve, NO_ALERTS)
    const raised = () => events.flatMap((event) => (event.type === 'AlertRaised' ? [event.data] : []))
    const watch = watchEndpoints({
      open: async () =>
        isOpenAt(now) ? [{ user_id: USER, endpoint: SHOP, since: at(openSince), failures: 10, ...last }] : [],
      lasting: async () => {
        if (events.at(-1)?.type !== 'AlertRaised') return []
        const alerts = raised().filter(({ since }) => since > at(now - DAY_S)).length
        return [{ user_id: USER, subject: SHOP, alerts, is_used: isUsed, looked_at: at(now) }]
      },
      alerts: {
        raise: ({ user_id, kind, subject, text, since }) =>
          append(
            raise(
              state(),
              {
                user_id,
                alert_id: events.length + 1,
                kind,
                subject,
                text: text.en,
                since,
                ends_at: null,
              },
              clock(),
            ),
          ),
        end: ({ user_id, kind, subject, until }) => append(end(state(), { user_id, kind, subject, until }, clock())),
      },
    })
    for (; now < seconds; now += every) {
      if (isOpenAt(now) && !isOpenAt(now - every)) openSince = now
      await watch.run(new AbortController().signal)
    }
    return events
  },
})

const typesOf = (events: readonly AlertEvent[]) => events.map(({ type }) => type)

describe('the watch on endpoints', () => {
  it('raises one alert while an endpoint is paused, and ends it ten minutes after it works again', async () => {
    const events = await given((second) => second < 600).when(2 * HOUR_S)
    expect(typesOf(events)).to.deep.equal(['AlertRaised', 'AlertEnded'])
    expect(events[1]!.data).to.include({ until: '2026-03-01T00:10:00.000Z' })
  })

  it('raises one alert for an endpoint that fails and works by turns, and ends it when that is over', async () => {
    const flapping = given((second) => second < DAY_S && second % 35 < 30)
    expect(typesOf(await flapping.when(DAY_S))).to.deep.equal(['AlertRaised'])
    expect(typesOf(await flapping.when(DAY_S + HOUR_S))).to.deep.equal(['AlertRaised', 'AlertEnded'])
  })

  it('ends an alert in time even if a clock that was ahead is corrected meanwhile', async () => {
    const ahead = (second: number) => (second < 700 ? 7 * HOUR_S : 0)
    const events = await given((second) => second < 600, { ahead }).when(2 * HOUR_S)
    expect(typesOf(events)).to.deep.equal(['AlertRaised', 'AlertEnded'])
  })

  for (const minutes of [10, 15, 30, 60, 120])
    it(`raises few alerts for an endpoint that fails every ${minutes} minutes`, async () => {
      const events = await given((second) => second % (minutes * 60) < 60).when(2 * DAY_S, 60)
      expect(typesOf(events).filter((type) => type === 'AlertRaised').length / 2).to.be.at.most(6)
    })

  it('shows the last answer if it is an error of the endpoint, or that there was none', async () => {
    const textAfter = async (http_status: number | null, error: string | null = null) => {
      const [raised] = await given(() => true, { last: { http_status, error } }).when(5)
      return raised?.type === 'AlertRaised' ? raised.data.text : null
    }
    expect(await textAfter(500)).to.include('500')
    expect(await textAfter(0, 'timeout')).to.include('timeout')
    expect(await textAfter(0)).to.include('unknown')
    const silent = await textAfter(null)
    expect(await textAfter(404)).to.equal(silent)
    expect(silent).not.to.match(/404|null/)
  })

  it('ends the alert at once when no rule uses the endpoint', async () => {
    const events = await given((second) => second < 60, { isUsed: false }).when(120)
    expect(typesOf(events)).to.deep.equal(['AlertRaised', 'AlertEnded'])
  })

  it('raises an alert for each user of an endpoint, and counts only those that are new', async () => {
    const breaker = { endpoint: SHOP, since: '2026-03-01T00:00:00.000Z', failures: 10, http_status: 500, error: null }
    const raised: number[] = []
    const watch = watchEndpoints({
      open: async () => [1, 2, 3].map((user_id) => ({ ...breaker, user_id })),
      lasting: async () => [{ user_id: 1, subject: SHOP, alerts: 1, is_used: true, looked_at: breaker.since }],
      alerts: {
        raise: async ({ user_id }) => {
          raised.push(user_id)
          // The read models do not show yet that the third one has an alert.
          return { checkpoint: user_id === 3 ? null : '1' }
        },
        end: async () => ({ checkpoint: '1' }),
      },
    })
    expect(await watch.run(new AbortController().signal)).to.deep.equal({ raised: 1, ended: 0 })
    expect(raised).to.deep.equal([2, 3])
  })
})
