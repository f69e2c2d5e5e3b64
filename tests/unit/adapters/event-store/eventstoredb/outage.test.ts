import { expect } from 'chai'
import {
  AccessDeniedError,
  CancelledError,
  DeadlineExceededError,
  MaxAppendSizeExceededError,
  StreamDeletedError,
  StreamNotFoundError,
  TimeoutError,
  UnavailableError,
  UnknownError,
} from '@eventstore/db-client'
import { breaksConnection, isOutage, NoAnswer } from '../../../../../adapters/event-store/eventstoredb/outage.ts'

/** As gRPC says it where the client has made no class of it. */
const plain = (code: number, message = 'No connection established'): Error =>
  Object.assign(new Error(message), { code })

describe('an error of the EventStoreDB client', () => {
  it('leaves the outcome unknown unless it is a refusal', () => {
    const unknown = [
      new UnavailableError(),
      new UnknownError(),
      new DeadlineExceededError(),
      new TimeoutError(),
      new CancelledError(),
      new NoAnswer('no answer'),
      new Error('Failed to discover after 10 attempts.'),
      ...[2, 4, 13, 14].map((code) => plain(code)),
    ]
    for (const error of unknown) expect(isOutage(error), String(error)).to.equal(true)
  })

  it('is a refusal where the server has answered, and a fault of ours where it is one', () => {
    const refusals = [
      new AccessDeniedError(),
      new StreamNotFoundError(),
      StreamDeletedError.fromStreamName('x'),
      MaxAppendSizeExceededError.fromMaxAppendSize(1),
      ...[3, 7, 12, 16].map((code) => plain(code)),
      new TypeError('x'),
      new RangeError('x'),
      null,
    ]
    for (const error of refusals) expect(isOutage(error), String(error)).to.equal(false)
  })

  it('asks for a new connection only where the one there is has become useless', () => {
    for (const error of [new UnavailableError(), new UnknownError(), plain(14)])
      expect(breaksConnection(error), String(error)).to.equal(true)
    for (const error of [
      new DeadlineExceededError(),
      new NoAnswer('slow'),
      new AccessDeniedError(),
      new TypeError('x'),
    ])
      expect(breaksConnection(error), String(error)).to.equal(false)
  })
})
