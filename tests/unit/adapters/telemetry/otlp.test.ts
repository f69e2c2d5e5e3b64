import { expect } from 'chai'
import { noSpans, openSpans, type Span } from '../../../../adapters/telemetry/otlp.ts'
import { startCollector, type Collector } from '../../../harness/collector.ts'
import { eventually } from '../../../harness/eventually.ts'

const span = (number: number): Span => ({
  trace_id: 'a'.repeat(32),
  span_id: number.toString(16).padStart(16, '0'),
  parent_span_id: null,
  name: 'call webhook',
  kind: 'client',
  ended_at: 1_790_000_000_000.5,
  duration_ms: 12.25,
  failed: false,
  attributes: { text: 'x', whole: 3, part: 1.5, yes: true, nothing: null },
})

describe('spans for a collector', () => {
  let collector: Collector
  const failures: string[] = []
  const open = (endpoint: string, everyMs = 10) =>
    openSpans({ endpoint, headers: {}, serviceName: 'baoco', everyMs, onFailure: (reason) => failures.push(reason) })
  beforeEach(async () => {
    failures.length = 0
    collector = await startCollector()
  })
  afterEach(() => collector.close())

  it('are sent in batches, with times to the microsecond and without empty attributes', async () => {
    const spans = open(`${collector.endpoint}/`)
    for (let number = 1; number <= 1_200; number++) spans.add(() => span(number))
    await eventually(() => collector.spans.length === 1_200)
    expect(collector.requests.length).to.be.within(2, 4)
    const [first] = collector.spans
    expect(first).to.include({ startTimeUnixNano: '1789999999988250000', endTimeUnixNano: '1790000000000500000' })
    expect(first!.attributes).to.deep.equal([
      { key: 'text', value: { stringValue: 'x' } },
      { key: 'whole', value: { intValue: '3' } },
      { key: 'part', value: { doubleValue: 1.5 } },
      { key: 'yes', value: { boolValue: true } },
    ])
    await spans.close()
  })

  it('that are waiting are sent at the end', async () => {
    const spans = open(collector.endpoint, 60_000)
    spans.add(() => span(1))
    await spans.close()
    expect(collector.spans).to.have.length(1)
  })

  it('are limited in number and dropped while the collector fails, which is reported once', async () => {
    const spans = open(collector.endpoint)
    collector.answer(503)
    spans.add(() => span(1))
    await eventually(() => collector.requests.length === 1)
    spans.add(() => span(2))
    await eventually(() => collector.requests.length === 2)
    for (let number = 3; number <= 5_000; number++) spans.add(() => span(number))
    collector.answer(200)
    await eventually(() => collector.spans.length > 0)
    await spans.close()
    expect(collector.spans.length).to.be.at.most(2_048)
    expect(failures).to.deep.equal(['the collector answered 503'])
  })

  it('cost nothing without a collector', async () => {
    noSpans.add(() => span(1))
    await noSpans.close()
  })
})
