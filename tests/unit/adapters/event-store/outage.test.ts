import { expect } from 'chai'
import { isOutage, isRefusedAtStart } from '../../../../adapters/event-store/postgres/outage.ts'
import { untilAnswered } from '../../../../adapters/event-store/until-answered.ts'
import { DiskFull, StoreUnavailable } from '../../../../domain/errors.ts'

/** A server error as the driver reports it. */
const pgError = (code: string, message = code): Error => Object.assign(new Error(message), { severity: 'ERROR', code })

describe('an outage of the store', () => {
  const OPEN = new AbortController().signal

  it('is every error that leaves the outcome unknown', () => {
    const unknown = [
      Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' }),
      Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }),
      new Error('Connection terminated unexpectedly'),
      new Error('Query read timeout'),
      // Starting, stopping, a standby, no room left, a deadlock, a transaction that took too long.
      ...['57P03', '57P01', '25006', '53100', '53300', '40P01', '25P04'].map((code) => pgError(code)),
      // No room left, before version 17.
      pgError('XX000', 'could not write init file'),
      // A password that is being changed, a role that may not log in.
      ...['28P01', '28000'].map((code) => pgError(code)),
      // A database or a schema that is being restored.
      ...['3D000', '3F000'].map((code) => pgError(code)),
    ]
    for (const error of unknown) expect(isOutage(error), error.message).to.equal(true)
  })

  it('is neither a refusal by the server nor an error in our own code', () => {
    // No such table, a bad value, a duplicate.
    for (const code of ['42P01', '22P02', '23505', 'XX000']) expect(isOutage(pgError(code)), code).to.equal(false)
    for (const error of [new TypeError('x'), new RangeError('x'), 'text', null]) expect(isOutage(error)).to.equal(false)
  })

  it('does not make a start wait if the server will refuse it again', () => {
    for (const code of ['28P01', '3D000', '53400']) expect(isRefusedAtStart(pgError(code)), code).to.equal(true)
    for (const code of ['53100', '53300', '57P03']) expect(isRefusedAtStart(pgError(code)), code).to.equal(false)
    // Such as `sslrootcert`.
    const [file, connection] = ['open', 'connect'].map((syscall) =>
      Object.assign(new Error(syscall), { code: 'ENOENT', syscall }),
    )
    expect([isRefusedAtStart(file), isRefusedAtStart(connection)]).to.deep.equal([true, false])
  })

  it('is retried until the store answers', async () => {
    let tries = 0
    const attempt = async (): Promise<string> => {
      if (++tries < 4) throw pgError('57P03')
      return 'there'
    }
    expect(await untilAnswered(attempt, { isOutage, deadlineMs: 5_000, closing: OPEN })).to.equal('there')
    expect(tries).to.equal(4)
  })

  it('fails with StoreUnavailable at the deadline, and at once when the store closes', async () => {
    const away = async (): Promise<never> => {
      throw pgError('57P03')
    }
    const closed = new AbortController()
    closed.abort()
    for (const [deadlineMs, closing] of [
      [100, OPEN],
      [60_000, closed.signal],
    ] as const) {
      const error = await untilAnswered(away, { isOutage, deadlineMs, closing }).catch((thrown: unknown) => thrown)
      expect(error).to.be.instanceOf(StoreUnavailable)
      expect((error as Error).cause).to.include({ code: '57P03' })
    }
  })

  it('does not make calls wait if a disk is full, because that lasts', async () => {
    let tries = 0
    const full = async (): Promise<never> => {
      tries++
      throw pgError('53100')
    }
    const error = await untilAnswered(full, { isOutage, deadlineMs: 60_000, closing: OPEN }).catch(
      (thrown: unknown) => thrown,
    )
    expect(error).to.be.instanceOf(DiskFull)
    expect(tries).to.equal(1)
  })

  it('is not assumed after a refusal, so a refused call is not retried', async () => {
    let tries = 0
    const refused = async (): Promise<never> => {
      tries++
      throw pgError('42P01')
    }
    expect(
      await untilAnswered(refused, { isOutage, deadlineMs: 5_000, closing: OPEN }).catch((error: unknown) => error),
    ).to.include({ code: '42P01' })
    expect(tries).to.equal(1)
  })
})
