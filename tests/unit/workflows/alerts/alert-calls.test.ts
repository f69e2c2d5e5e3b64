import { setImmediate } from 'node:timers/promises'
import { expect } from 'chai'
import type { CallResult } from '../../../../domain/ports.ts'
import {
  MOST,
  MOST_OF_ACCOUNT,
  MOST_WAITING,
  openAlertCalls,
  type AlertCall,
  type Target,
} from '../../../../workflows/alerts/alert-calls.ts'
import { eventually } from '../../../harness/eventually.ts'

const answered = { error: null } as CallResult

describe('alert calls', () => {
  let sent: string[]
  let urls: string[]
  let logged: object[]
  let ends: (() => void)[]
  const open = () => {
    sent = []
    urls = []
    logged = []
    ends = []
    const send = ({ headers, url }: { headers: Record<string, string>; url: string }) => {
      urls.push(url)
      sent.push(headers['webhook-id']!)
      return new Promise<CallResult>((resolve) => ends.push(() => resolve(answered)))
    }
    const warn = (fields: object, what: string) => void logged.push({ what, ...fields })
    return openAlertCalls({ send }, { now: () => new Date() }, { warn })
  }
  const alert = (user_id: number, number = 1): AlertCall => {
    const target = { url: 'https://x.example/', secret: 'ab'.repeat(24) }
    return { ...target, user_id, id: `${user_id}-${number}`, body: {}, present: () => Promise.resolve(target) }
  }
  const of = (user_id: number) => sent.filter((id) => id.startsWith(`${user_id}-`))

  it('of an account with a slow address leave room for those of others', () => {
    const calls = open()
    for (let number = 0; number < MOST; number++) calls.call(alert(1, number))
    calls.call(alert(2))
    expect(of(1)).to.have.lengthOf(MOST_OF_ACCOUNT)
    expect(of(2)).to.have.lengthOf(1)
  })

  it('wait in their order until an earlier one of the account ends', async () => {
    const calls = open()
    const many = MOST_OF_ACCOUNT + MOST_WAITING
    for (let number = 0; number < many; number++) calls.call(alert(1, number))
    expect(logged).to.deep.equal([])
    for (let ended = 0; ended < many; ended++)
      await eventually(() => ends[ended] && (ends[ended]!(), true), { what: `call ${ended}` })
    expect(sent).to.deep.equal(Array.from({ length: many }, (_, number) => `1-${number}`))
    calls.call(alert(1, many))
    await eventually(() => sent.length === many + 1, { what: 'the next call' })
  })

  it('that fail three times are logged, without the address', async () => {
    logged = []
    const refused = { http_status: 400, error: 'http_400' } as CallResult
    const warn = (fields: object, what: string) => void logged.push({ what, ...fields })
    const send = () => Promise.resolve(refused)
    openAlertCalls({ send }, { now: () => new Date() }, { warn }, () => Promise.resolve()).call(alert(1))
    await eventually(() => logged.length > 0)
    expect(logged).to.deep.equal([{ what: 'alert_call.failed', user_id: 1, event_id: '1-1', ...refused }])
  })

  it('that waited are made to the current address, or not at all if there is none', async () => {
    const calls = open()
    const targets: (Target | null)[] = [null, { url: 'https://new.example/', secret: 'cd'.repeat(24) }]
    for (let number = 0; number < MOST_OF_ACCOUNT; number++) calls.call(alert(1, number))
    for (const [number, target] of targets.entries())
      calls.call({ ...alert(1, MOST_OF_ACCOUNT + number), present: () => Promise.resolve(target) })
    ends[0]!()
    await eventually(() => sent.length === MOST_OF_ACCOUNT + 1, { what: 'the call with an address' })
    expect(sent.at(-1)).to.equal(`1-${MOST_OF_ACCOUNT + 1}`)
    expect(urls.at(-1)).to.equal('https://new.example/')
  })

  it('that waited are made to the last known address while the current one cannot be read', async () => {
    const calls = open()
    for (let number = 0; number < MOST_OF_ACCOUNT; number++) calls.call(alert(1, number))
    calls.call({ ...alert(1, MOST_OF_ACCOUNT), present: () => Promise.reject(new Error('the store is away')) })
    ends[0]!()
    await eventually(() => urls[MOST_OF_ACCOUNT] === 'https://x.example/', { what: 'the call' })
  })

  it('are dropped with a line in the log if too many of the account wait, or too many of all are in flight', () => {
    const calls = open()
    for (let number = 0; number <= MOST_OF_ACCOUNT + MOST_WAITING; number++) calls.call(alert(1, number))
    const what = 'alert_call.dropped'
    expect(logged).to.deep.equal([{ what, user_id: 1, event_id: `1-${MOST_OF_ACCOUNT + MOST_WAITING}` }])
    for (let user = 2; sent.length < MOST; user++) calls.call(alert(user))
    calls.call(alert(1_000))
    expect(logged[1]).to.deep.equal({ what, user_id: 1_000, event_id: '1000-1' })
    expect(sent).to.have.lengthOf(MOST)
  })

  it('leave the places of an account as they are when one ends', async () => {
    const calls = open()
    for (let number = 0; number < MOST_OF_ACCOUNT; number++) calls.call(alert(1, number))
    ends[0]!()
    await setImmediate()
    calls.call(alert(1, 10))
    calls.call(alert(1, 11))
    expect(of(1)).to.have.lengthOf(MOST_OF_ACCOUNT + 1)
  })

  it('free their places when they end', async () => {
    const calls = open()
    for (let number = 0; number <= MOST; number++) {
      calls.call(alert(number))
      ends[number]!()
      await setImmediate()
    }
    expect(logged).to.deep.equal([])
  })

  it('are made three times at most, within two minutes, each time to the current address, until one succeeds', async () => {
    const pauses: number[] = []
    const pause = async (milliseconds: number): Promise<void> => void pauses.push(milliseconds)
    const made: [string, string | undefined][] = []
    const send = async ({ url, headers }: { url: string; headers: Record<string, string> }): Promise<CallResult> => {
      made.push([url, headers['x-webhook-attempt']])
      return { error: made.length <= 4 ? 'http_500' : null } as CallResult
    }
    const calls = openAlertCalls({ send }, { now: () => new Date() }, { warn: () => {} }, pause)
    const { secret } = alert(1)
    let reads = 0
    const present = async () => ({ url: `https://x.example/${++reads}`, secret })
    calls.call({ ...alert(1), present })
    await setImmediate()
    expect(made).to.deep.equal([
      ['https://x.example/', '1'],
      ['https://x.example/1', '2'],
      ['https://x.example/2', '3'],
    ])
    expect(pauses).to.deep.equal([10_000, 60_000])
    calls.call({ ...alert(2), present })
    await setImmediate()
    expect(made.slice(3)).to.deep.equal([
      ['https://x.example/', '1'],
      ['https://x.example/3', '2'],
    ])
  })
})
