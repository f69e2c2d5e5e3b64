import { expect } from 'chai'
import { attemptStep, correlationOf, traceIn, traceOf, traceparentOf } from '../../../domain/trace.ts'

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const SPAN = '00f067aa0ba902b7'
const ATTEMPT = { transaction_id: 1, rule_id: 2, attempt: 3 }

describe('a trace', () => {
  it('is read from a traceparent header, even from one of a later version', () => {
    expect(traceIn(`00-${TRACE}-${SPAN}-01`)).to.deep.equal({ trace_id: TRACE, span_id: SPAN })
    expect(traceIn(` 01-${TRACE}-${SPAN}-00-later `)).to.deep.equal({ trace_id: TRACE, span_id: SPAN })
  })

  for (const header of [
    undefined,
    '',
    'x',
    `ff-${TRACE}-${SPAN}-01`,
    `00-${'0'.repeat(32)}-${SPAN}-01`,
    `00-${TRACE}-${'0'.repeat(16)}-01`,
    `00-${TRACE.toUpperCase()}-${SPAN}-01`,
    `00-${TRACE}x-${SPAN}-01`,
  ])
    it(`is not read from ${JSON.stringify(header)}`, () => {
      expect(traceIn(header)).to.equal(null)
    })

  it('has a correlation id from which it can be read again', () => {
    const correlation = correlationOf({ trace_id: TRACE })
    expect(correlation).to.equal('4bf92f35-77b3-4da6-a3ce-929d0e0e4736')
    expect(traceOf(correlation, 'x')!.trace_id).to.equal(TRACE)
    expect(traceIn(traceparentOf(traceOf(correlation, 'x')!))).to.deep.equal(traceOf(correlation, 'x'))
  })

  it('has one span per step, with the same id whenever it is formed', () => {
    const correlation = correlationOf({ trace_id: TRACE })
    const spanOf = (attempt: number) => traceOf(correlation, attemptStep({ ...ATTEMPT, attempt }))!.span_id
    expect(spanOf(3))
      .to.equal(spanOf(3))
      .and.match(/^[0-9a-f]{16}$/)
    expect(spanOf(3)).not.to.equal(spanOf(4))
  })

  it('does not exist for the correlation ids of scheduled work', () => {
    expect(traceOf('transaction-7', 'x')).to.equal(null)
  })
})
