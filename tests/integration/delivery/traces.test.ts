import { expect } from 'chai'
import { transactionStream } from '../../../domain/transaction/events.ts'
import type { Account } from '../../../domain/account/account.ts'
import { retry } from '../../../domain/transaction/decide.ts'
import { traceIn } from '../../../domain/trace.ts'
import { remakeRequests } from '../../../workflows/deliver/remake-request.ts'
import { status } from '../../harness/shop.ts'
import { openDeliverySetting, USER, vault, type DeliverySetting } from './setting.ts'

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const CORRELATION = '4bf92f35-77b3-4da6-a3ce-929d0e0e4736'

describe('the trace of a notification', () => {
  let setting: DeliverySetting
  beforeEach(async () => (setting = await openDeliverySetting()))
  afterEach(() => setting.close())

  it('continues in every attempt, in its events and in the log: first attempts, retries, and a retry by another worker', async () => {
    const shop = await setting.shop(status(500))
    const rule = await setting.rule(shop.url)
    const worker = await setting.worker({ schedule: [0.05] })
    const [transaction] = await setting.capture([rule], { correlation_id: CORRELATION })
    await setting.untilStatus(transaction!, 'failed')
    await worker.stop()
    // Another worker knows the transaction only from its stream.
    shop.answer(status(200))
    const other = await setting.worker()
    const account = { systems: new Map(), rules: new Map([[rule, {}]]) } as unknown as Account
    await setting.command(transaction!, (state) =>
      retry(state, { by: 'manual', at: new Date(), account, find: () => null }),
    )
    await setting.untilStatus(transaction!, 'success')
    // An attempt is reported after it is recorded.
    await other.stop()
    const traces = shop.calls.map(({ headers }) => traceIn(headers.traceparent))
    expect(traces.map((trace) => trace!.trace_id)).to.deep.equal([TRACE, TRACE, TRACE])
    expect(new Set(traces.map((trace) => trace!.span_id)).size).to.equal(3)
    const reported = [...worker.reports, ...other.reports].map(({ trace_id, span_id }) => ({ trace_id, span_id }))
    expect(reported).to.deep.equal(traces)
    const [events] = await setting.store.read([{ stream: transactionStream(transaction!) }])
    const attempted = events!.filter(({ type }) => type === 'WebhookAttempted')
    expect(attempted.map(({ metadata }) => metadata.correlation_id)).to.deep.equal(Array(3).fill(CORRELATION))
    const requests = await remakeRequests({ store: setting.store, vault }, USER, transaction!)
    const shown = [...requests.values()].map(({ headers }) => headers.traceparent)
    expect(shown).to.deep.equal(shop.calls.map(({ headers }) => headers.traceparent))
  })

  it('does not exist for a capture without a trace', async () => {
    const shop = await setting.shop()
    const worker = await setting.worker()
    const [transaction] = await setting.capture([await setting.rule(shop.url)])
    await setting.untilStatus(transaction!, 'success')
    await worker.stop()
    expect(shop.calls[0]!.headers).not.to.have.property('traceparent')
    expect(worker.reports[0]).to.include({ trace_id: null, span_id: null, correlation_id: 'test' })
  })
})
