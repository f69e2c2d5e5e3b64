import { expect } from 'chai'
import { untilThere } from '../../../../cmd/process/wait-for-servers.ts'

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
