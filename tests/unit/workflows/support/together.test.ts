import { setTimeout as pause } from 'node:timers/promises'
import { expect } from 'chai'
import { untilAborted } from '../../../../workflows/support/abort.ts'
import { together } from '../../../../workflows/support/together.ts'
import { errorOf } from '../../../harness/outcomes.ts'

describe('parts that run together', () => {
  it('end with the first failure, after the others were stopped and have ended', async () => {
    let hasEnded = false
    const running = together(new AbortController().signal, [
      async (signal) => {
        await untilAborted(signal)
        await pause(20)
        hasEnded = true
        throw new Error('a consequence')
      },
      async () => {
        throw new Error('the cause')
      },
    ])
    expect([(await errorOf(running))?.message, hasEnded]).to.deep.equal(['the cause', true])
  })

  it('end when all have ended after an abort', async () => {
    const stopping = new AbortController()
    const running = together(stopping.signal, [untilAborted, untilAborted])
    stopping.abort()
    await running
  })
})
