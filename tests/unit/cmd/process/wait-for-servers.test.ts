import { expect } from 'chai'
import { LostAtStart, orLostAtStart, StoppedAtStart, untilThere } from '../../../../cmd/process/wait-for-servers.ts'
import { StoreUnavailable, StoreWentBack } from '../../../../domain/errors.ts'
import { UnreadableEvent, type Unreadable } from '../../../../domain/parse-event.ts'

describe('a start that waits for a server', () => {
  const NEVER = new AbortController().signal

  const linesOf = async (answers: (() => Promise<unknown>)[]): Promise<object[]> => {
    const lines: object[] = []
    await untilThere({
      name: 'database',
      ask: () => answers.shift()!(),
      isAway: () => true,
      log: { warn: (fields) => lines.push(fields) },
      stopping: NEVER,
      reportAfterMs: 1,
    })
    return lines
  }
  const refuses = () => Promise.reject(new Error('connect ECONNREFUSED'))
  const answers = () => Promise.resolve()
  const answersLate = () => new Promise((resolve) => setTimeout(resolve, 20))

  it('logs once why an attempt failed, and nothing without a reason after that', async () => {
    expect(await linesOf([refuses, refuses, answers])).to.deep.equal([
      { waiting_for: 'database', reason: 'connect ECONNREFUSED' },
    ])
  })

  it('logs that it waits while its first attempt has no answer', async () => {
    expect(await linesOf([answersLate])).to.deep.equal([{ waiting_for: 'database' }])
  })
})

describe('a start that fails', () => {
  const never = new AbortController().signal
  const failsWith = async (failure: unknown, signals: { stopping?: AbortSignal; wentBack?: AbortSignal } = {}) => {
    const lines: object[] = []
    const log = { warn: (fields: object) => void lines.push(fields) }
    const result = await orLostAtStart(failure, { databaseUrl: undefined, log, stopping: never, ...signals })
    return { result, lines }
  }

  it('begins again if the event store went away', async () => {
    const { result, lines } = await failsWith(new StoreUnavailable('no answer'))
    expect(result).to.be.instanceOf(LostAtStart)
    expect(lines).to.deep.equal([{ waiting_for: 'event_store', reason: 'no answer' }])
  })

  it('ends if an event cannot be read, because the event store has answered', async () => {
    const event = { stream: 'ids', revision: 3, data: { detail: 'this release does not know it' } } as Unreadable
    const failure = new UnreadableEvent(event)
    expect(await failsWith(failure)).to.deep.equal({ result: failure, lines: [] })
  })

  it('is stopped by a stop, and by nothing else', async () => {
    const failure = new StoreUnavailable('no answer')
    const aborted = AbortSignal.abort()
    expect((await failsWith(failure, { stopping: aborted })).result).to.be.instanceOf(StoppedAtStart)
    expect((await failsWith(failure, { wentBack: aborted })).result).to.be.instanceOf(StoreWentBack)
  })
})
