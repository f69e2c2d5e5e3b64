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
import {
  breaksConnection,
  isLoginRefused,
  isOutage,
  LoginRefused,
  NoAnswer,
  reasonOf,
} from '../../../../../adapters/event-store/eventstoredb/outage.ts'

/** A plain gRPC error, for which the client has no class. */
const plain = (code: number, message = 'No connection established'): Error =>
  Object.assign(new Error(message), { code })

/** As the client reports a wrong password. */
const refusedLogin = () => new AccessDeniedError(plain(16, '16 UNAUTHENTICATED: Unauthenticated') as never)

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
      ...[2, 4, 13, 14, 16].map((code) => plain(code)),
      refusedLogin(),
    ]
    for (const error of unknown) expect(isOutage(error), String(error)).to.equal(true)
  })

  it('is not an outage if the server has refused the call or our code has thrown', () => {
    const refusals = [
      new AccessDeniedError(),
      new StreamNotFoundError(),
      StreamDeletedError.fromStreamName('x'),
      MaxAppendSizeExceededError.fromMaxAppendSize(1),
      new LoginRefused('x'),
      ...[3, 7, 12].map((code) => plain(code)),
      new TypeError('x'),
      new RangeError('x'),
      null,
    ]
    for (const error of refusals) expect(isOutage(error), String(error)).to.equal(false)
  })

  it('is a refused login only if the user or the password is wrong', () => {
    expect(isLoginRefused(refusedLogin())).to.equal(true)
    expect(reasonOf(refusedLogin())).to.equal('the server refused the user or the password of EVENTSTORE_URL')
    for (const error of [plain(7), new AccessDeniedError(), new UnavailableError(), null])
      expect(isLoginRefused(error), String(error)).to.equal(false)
  })

  it('requires a new connection only if the current one is unusable', () => {
    for (const error of [new UnavailableError(), new UnknownError(), plain(14)])
      expect(breaksConnection(error), String(error)).to.equal(true)
    for (const error of [
      new DeadlineExceededError(),
      new NoAnswer('slow'),
      new AccessDeniedError(),
      refusedLogin(),
      new TypeError('x'),
    ])
      expect(breaksConnection(error), String(error)).to.equal(false)
  })
})
