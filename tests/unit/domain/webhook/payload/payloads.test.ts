import { expect } from 'chai'
import fc from 'fast-check'
import { SAMPLE } from '../../../../../domain/webhook/payload/custom.ts'
import { render } from '../../../../../domain/webhook/payload/render.ts'
import { testPayload } from '../../../../../domain/webhook/payload/test.ts'
import type { TransactionRow } from '../../../../../domain/webhook/payload/transaction-row.ts'

const TIMESTAMP = 1_767_580_200
const unprinted = { account_number: null, transaction_ref: null, counterpart_name: null, balance_after: null }

const rendered = (payload_format: 'standard' | 'woocommerce', change: Partial<TransactionRow> = {}) =>
  JSON.parse(render({ payload_format, custom_template: null }, { ...SAMPLE, ...change }, TIMESTAMP)) as Record<
    string,
    unknown
  >

describe('the payload', () => {
  it('in standard format has exactly the fields of section 2.5', () =>
    expect(rendered('standard')).to.deep.equal({
      event: 'bank_transaction',
      bank_code: 'VCB',
      bank_name: 'Vietcombank',
      transaction_type: 'credit',
      amount: '150000.00',
      currency: 'VND',
      balance_after: '2150000.00',
      account_number: '0011000415567',
      transaction_ref: 'MBVCB.900000001',
      transaction_date: '2026-01-05T02:30:00.000Z',
      description: SAMPLE.description,
      counterpart_name: 'NGUYEN VAN A',
      order_id: 'DH1042',
      transaction_id: 1042,
      timestamp: TIMESTAMP,
    }))

  it('contains null for missing values in standard format, and an empty string in woocommerce format', () => {
    expect(rendered('standard', unprinted)).to.include(unprinted)
    expect(rendered('woocommerce', unprinted)).to.include({ transaction_id: '', payer_name: '' })
  })

  it('in woocommerce format has exactly the fields of section 2.5', () => {
    const { note, ...others } = rendered('woocommerce')
    expect(others).to.deep.equal({
      order_id: 'DH1042',
      payment_method: 'bank_transfer',
      transaction_id: 'MBVCB.900000001',
      amount: '150000.00',
      currency: 'VND',
      status: 'completed',
      description: SAMPLE.description,
      bank_code: 'VCB',
      bank_name: 'Vietcombank',
      transaction_type: 'credit',
      payer_name: 'NGUYEN VAN A',
      timestamp: TIMESTAMP,
    })
    expect(note).to.include('150000.00').and.include('NGUYEN VAN A').and.include('MBVCB.900000001')
  })

  it('of a test has a number as its amount', () => {
    expect(testPayload(TIMESTAMP)).to.have.all.keys(
      'event', 'bank_code', 'bank_name', 'transaction_type', 'amount', 'currency', 'description', 'timestamp',
    ) // prettier-ignore
    expect(testPayload(TIMESTAMP)).to.include({ event: 'test', timestamp: TIMESTAMP })
    expect(testPayload(TIMESTAMP).amount).to.be.a('number')
  })

  for (const format of ['standard', 'woocommerce'] as const)
    it(`in ${format} format is at most 4096 bytes of valid JSON for any texts`, () => {
      const text = fc.string({ unit: 'grapheme', maxLength: 20 }).map((piece) => piece.repeat(600))
      fc.assert(
        fc.property(text, text, (description, counterpart_name) => {
          const body = render(
            { payload_format: format, custom_template: null },
            { ...SAMPLE, description, counterpart_name },
            TIMESTAMP,
          )
          const parsed = JSON.parse(body) as { description: string; description_truncated?: boolean }
          expect(Buffer.byteLength(body)).to.be.at.most(4096)
          expect(description.startsWith(parsed.description)).to.equal(true)
          if (parsed.description_truncated) expect(parsed.description).not.to.match(/[\ud800-\udbff]$/)
        }),
        { numRuns: 50 },
      )
    })

  it('keeps as much of a long description as fits, and marks it as truncated', () => {
    const long = rendered('standard', { description: 'ạ'.repeat(5_000) })
    expect(long.description_truncated).to.equal(true)
    expect(Buffer.byteLength(JSON.stringify(long))).to.be.within(4094, 4096)
    expect(rendered('standard')).not.to.have.property('description_truncated')
  })
})
