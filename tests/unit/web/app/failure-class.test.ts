import { expect } from 'chai'
import { failureOf } from '../../../../adapters/webhook-sender/failure.ts'
import { failureClass } from '../../../../web/app/failure-class.ts'
import { transaction } from '../../../../web/texts/en/transactions.ts'

describe('the class of a failed test call', () => {
  it('is that of the attempts, if there is a text for it', () => {
    for (const code of [
      'ECONNREFUSED',
      'ETIMEDOUT',
      'UND_ERR_HEADERS_TIMEOUT',
      'DEPTH_ZERO_SELF_SIGNED_CERT',
      'CERT_HAS_EXPIRED',
      'EHOSTUNREACH',
      'ECONNRESET',
      'HPE_INVALID_CONSTANT',
    ]) {
      const { kind, message } = failureOf(Object.assign(new Error('what the network says'), { code }))
      expect(failureClass(message), message).to.equal(transaction.errors[kind] ? kind : null)
    }
  })

  it('is known for a name that does not exist, and for an answer that comes too late', () => {
    expect(failureClass('The name nothing.invalid could not be resolved.')).to.equal('dns')
    expect(failureClass('No answer within 10 seconds.')).to.equal('timeout')
    expect(failureClass('The URL must not lead to a private address.')).to.equal(null)
  })
})
