import { expect } from 'chai'
import type { Context } from 'koa'
import { errors } from '../../../../../adapters/http/middleware/errors.ts'
import { silent } from '../../../../../adapters/telemetry/log-lines.ts'
import { AccountGone, Refused } from '../../../../../domain/errors.ts'

describe('the answer to an error', () => {
  const answerTo = async (error: Error) => {
    const headers: Record<string, string> = {}
    const context = { method: 'POST', set: (name: string, value: string) => void (headers[name] = value) } as Context
    await errors(silent)(context as never, () => Promise.reject(error))
    return { status: context.status, body: context.body as { error: string }, headers }
  }

  it('is 401 if the caller’s account is deleted during the request', async () => {
    const { status, body, headers } = await answerTo(new AccountGone())
    expect([status, body.error]).to.deep.equal([401, 'UNAUTHORIZED'])
    expect(headers).to.have.property('WWW-Authenticate')
  })

  it('is 404 for anything else that does not exist', async () => {
    const { status, body } = await answerTo(new Refused('NOT_FOUND', 'The device does not exist.'))
    expect([status, body.error]).to.deep.equal([404, 'NOT_FOUND'])
  })
})
