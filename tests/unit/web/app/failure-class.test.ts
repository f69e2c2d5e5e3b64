import { expect } from 'chai'
import { failureOf, type FailureClass } from '../../../../adapters/webhook-sender/failure.ts'
import { failureClass } from '../../../../web/app/failure-class.ts'
import { transaction } from '../../../../web/texts/en/transactions.ts'
import { transaction as vietnamese } from '../../../../web/texts/vi/transactions.ts'

/** All classes of an attempt without an answer. */
const CLASSES: Record<FailureClass | 'not_formed' | 'redirect', true> = {
  dns: true,
  refused: true,
  unreachable: true,
  reset: true,
  tls: true,
  timeout: true,
  protocol: true,
  response_too_large: true,
  private_address: true,
  invalid_url: true,
  stopped: true,
  not_formed: true,
  redirect: true,
}

describe('the class of a failed attempt', () => {
  it('has a text that says what happened and what to do', () => {
    for (const name of Object.keys(CLASSES))
      for (const { errors } of [transaction, vietnamese]) expect(errors[name], name).to.have.length(2)
  })
})

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
      'UND_ERR_HEADERS_OVERFLOW',
    ]) {
      const { kind, message } = failureOf(Object.assign(new Error('what the network says'), { code }))
      expect(failureClass(message), message).to.equal(transaction.errors[kind] ? kind : null)
    }
  })

  it('is known for a name that does not exist, and for an answer that comes too late', () => {
    expect(failureClass('The name nothing.invalid could not be resolved.')).to.equal('dns')
    expect(failureClass('No answer within 10 seconds.')).to.equal('timeout')
  })

  it('is known for an address that is not public, and unknown for any other sentence', () => {
    expect(failureClass('shop.example is not a public address.')).to.equal('private_address')
    expect(failureClass('The URL must be a public address.')).to.equal('private_address')
    expect(failureClass('The call failed: something else')).to.equal(null)
  })
})
