import specifications from '@asyncapi/specs'
import { Ajv, type AnySchema } from 'ajv'
import { expect } from 'chai'
import { asyncApiDocument } from '../../../docs/generate-asyncapi.ts'
import { transactionEvents } from '../../../domain/transaction/events.ts'
import { PERSONAL_FIELDS } from '../../../domain/transaction/public-view.ts'
import { asyncApiFile, asyncApiInFile, faultsOf } from '../../harness/kafka/topic-format.ts'

describe('the AsyncAPI document of the topic', () => {
  const { messages } = asyncApiInFile().components

  it('matches docs/asyncapi.yaml, which npm run docs generates', () => {
    expect(asyncApiFile()).to.equal(asyncApiDocument())
  })

  it('matches the JSON schema of AsyncAPI 3.0', () => {
    // The schema contains that of JSON Schema itself.
    const ajv = new Ajv({ strict: false, validateFormats: false, meta: false, validateSchema: false })
    const fits = ajv.compile(specifications.schemas['3.0.0'] as AnySchema)
    expect(fits(asyncApiInFile()), JSON.stringify(fits.errors)).to.equal(true)
    expect(fits({ ...asyncApiInFile(), operations: { publish: { action: 'shout' } } })).to.equal(false)
  })

  it('has a message for each event of a transaction, with examples that match its schemas', () => {
    expect(Object.keys(messages)).to.deep.equal(Object.keys(transactionEvents))
    for (const [type, { examples }] of Object.entries(messages)) {
      expect(examples, type).to.have.lengthOf.above(0)
      for (const { headers, payload } of examples) {
        expect(headers.ce_type).to.equal(type)
        expect(faultsOf(headers, payload), type).to.deep.equal([])
        expect(payload).not.to.have.any.keys(...PERSONAL_FIELDS)
      }
    }
  })

  it('refuses a message whose fields have other types, and accepts fields that a later version adds', () => {
    const { headers, payload } = messages.TransactionCaptured!.examples[0]!
    expect(faultsOf(headers, { ...payload, amount: 150000 })).to.deep.equal([
      'TransactionCaptured/amount must be string',
    ])
    expect(faultsOf({ ...headers, ce_revision: '-1' }, payload)).to.have.length(1)
    expect(faultsOf({ ...headers, ce_later: 'x' }, { ...payload, later: 1, counterpart_name: null })).to.deep.equal([])
  })
})
