import { expect } from 'chai'
import { end, evolve, NO_ALERTS, raise, type Alerts } from '../../../../domain/alert/alerts.ts'
import type { AlertEvent } from '../../../../domain/alert/events.ts'

const at = (minute: number) => new Date(Date.UTC(2026, 2, 1, 0, minute)).toISOString()
const subject = 'device:7'
const kind = 'source_silent' as const

const after = (events: readonly AlertEvent[], alerts: Alerts = NO_ALERTS): Alerts => events.reduce(evolve, alerts)
const HOUR_LATER = new Date(at(60))
const raised = (alerts: Alerts, since: string, ends_at: string | null = null, now = HOUR_LATER) =>
  raise(alerts, { user_id: 1, alert_id: 1, kind, subject, text: 'Silent.', since, ends_at }, now)
const ended = (alerts: Alerts, until: string, now = HOUR_LATER) =>
  end(alerts, { user_id: 1, kind, subject, until }, now)

describe('alerts', () => {
  const open = after(raised(NO_ALERTS, at(1)))

  it('are raised once while they are open', () => {
    expect(raised(open, at(2))).to.deep.equal([])
    const other = { user_id: 1, alert_id: 2, subject, text: 'Paused.', since: at(2), ends_at: null }
    expect(raise(open, { ...other, kind: 'rule_paused' }, HOUR_LATER)).to.have.lengthOf(1)
  })

  it('end once, and are raised again for a new cause', () => {
    const over = after(ended(open, at(5)), open)
    expect(ended(over, at(6))).to.deep.equal([])
    expect(raised(over, at(6))).to.have.lengthOf(1)
  })

  it('are not raised again for an old cause, and not ended by an earlier event', () => {
    const over = after(ended(open, at(5)), open)
    expect(raised(over, at(1))).to.deep.equal([])
    expect(raised(over, at(5))).to.deep.equal([])
    expect(ended(open, at(0))).to.deep.equal([])
    expect(ended(NO_ALERTS, at(3))).to.deep.equal([])
  })

  it('may have an end from the start, and then end by themselves or sooner', () => {
    const month = after(raised(NO_ALERTS, at(1), at(30)))
    expect(raised(month, at(20))).to.deep.equal([])
    expect(raised(month, at(31))).to.have.lengthOf(1)
    expect(raised(after(ended(month, at(10)), month), at(11))).to.have.lengthOf(1)
    expect(ended(month, at(40))).to.deep.equal([])
  })

  it('that were raised while a clock was ahead end, and are raised again for a new cause', () => {
    const ahead = after(raised(NO_ALERTS, at(7 * 60)))
    const now = new Date(at(10))
    expect(raised(ahead, at(9), null, now)).to.deep.equal([])
    const over = after(ended(ahead, at(10), now), ahead)
    expect(ended(over, at(11), now)).to.deep.equal([])
    expect(raised(over, at(12), null, now)).to.have.lengthOf(1)
  })
})
