/** Traces of payments at an OpenTelemetry collector: the spans have the ids that the webhooks have. */
import { expect } from 'chai'
import { traceIn } from '../../domain/trace.ts'
import { fromVietcombank, vietcombankText } from '../harness/bank-texts.ts'
import { startCollector, type Collector, type ReceivedSpan } from '../harness/collector.ts'
import { eventually } from '../harness/eventually.ts'
import { freshDatabase } from '../harness/postgres.ts'
import { secrets } from '../harness/servers.ts'
import { status } from '../harness/shop.ts'
import { World } from '../harness/world.ts'

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'

describe('a collector of traces', () => {
  let collector: Collector
  let world: World
  before(async () => {
    collector = await startCollector()
    const { url, drop } = await freshDatabase()
    const env = {
      DATABASE_URL: url,
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
      OTEL_EXPORTER_OTLP_HEADERS: 'Authorization=Basic%20abc',
      OTEL_SERVICE_NAME: 'shop payments',
      RETRY_SCHEDULE: '0.1,0.1',
      ...secrets(),
    }
    world = await World.open({ servers: () => Promise.resolve({ env, close: drop }) })
  })
  after(async () => {
    await world?.close()
    await collector?.close()
  })

  it('receives the capture and each attempt of a request in its trace', async () => {
    const shop = await world.openShop()
    shop.answer(status(500))
    await world.addRule(shop)
    const response = await fetch(fromVietcombank(world.installation.personalUrl), {
      method: 'POST',
      body: vietcombankText(1, 'DH1'),
      headers: { traceparent: `00-${TRACE}-00f067aa0ba902b7-01` },
    })
    expect(response.status).to.equal(200)
    await eventually(() => shop.calls.length === 1)
    shop.answer(status(200))
    await eventually(() => shop.calls.length === 2)
    const ofTrace = () => collector.spans.filter(({ traceId }) => traceId === TRACE)
    await eventually(() => ofTrace().length === 3, { what: 'three spans' })

    const named = (name: string): ReceivedSpan => ofTrace().find((span) => span.name === name)!
    const [capture, first, again] = ['receive notification', 'call webhook', 'call webhook again'].map(named) as [
      ReceivedSpan,
      ReceivedSpan,
      ReceivedSpan,
    ]
    expect([capture.kind, first.kind, again.kind]).to.deep.equal([2, 3, 3])
    expect([first.parentSpanId, again.parentSpanId]).to.deep.equal([capture.spanId, capture.spanId])
    const called = shop.calls.map(({ headers }) => traceIn(headers.traceparent)!.span_id)
    expect([first.spanId, again.spanId]).to.deep.equal(called)
    expect([first.status.code, again.status.code]).to.deep.equal([2, undefined])
    for (const { startTimeUnixNano, endTimeUnixNano } of ofTrace())
      expect(BigInt(endTimeUnixNano) >= BigInt(startTimeUnixNano)).to.equal(true)

    const [request] = collector.requests
    expect(request!.path).to.equal('/v1/traces')
    expect(request!.headers).to.include({ authorization: 'Basic abc' })
    expect(request!.resource).to.deep.include({ key: 'service.name', value: { stringValue: 'shop payments' } })
    // The rule's URL is a secret, and no text of the bank is sent.
    const sent = JSON.stringify(collector.spans)
    expect(sent).not.to.include('/webhook')
    expect(sent).not.to.include('0011000415567')
  })
})
