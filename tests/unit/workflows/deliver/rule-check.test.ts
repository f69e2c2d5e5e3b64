import { expect } from 'chai'
import type { Job } from '../../../../workflows/deliver/lanes.ts'
import { RuleCheck } from '../../../../workflows/deliver/rule-check.ts'
import { eventually } from '../../../harness/eventually.ts'

const job = (rule_id: number, since: number) => ({ rule_id, since, claimed: { rule: { account_revision: 1 } } }) as Job

/** A check of waiting deliveries that ends after two looks at them. The rules are as they were at the claim. */
const check = async (jobs: readonly Job[]) => {
  const asked: number[][] = []
  const stopping = new AbortController()
  let looks = 0
  const waiting = () => {
    looks++
    return jobs
  }
  const presentRules = (rules: readonly number[]) => {
    asked.push([...rules])
    return Promise.resolve(rules.map((rule_id) => ({ rule_id, account_revision: 1 })))
  }
  const giveBack = () => Promise.reject(new Error('no rule has changed'))
  const onError = (error: unknown) => {
    throw error
  }
  new RuleCheck({ queue: { presentRules }, waiting, giveBack, stopping: stopping.signal, onError }).watch()
  await eventually(() => looks >= 2, { what: 'two looks' })
  stopping.abort()
  return asked
}

describe('the check of waiting deliveries against their rules', () => {
  it('costs no statement if no delivery waits, or none has waited since the last check', async () => {
    expect(await check([])).to.deep.equal([])
    const soon = performance.now() + 3_600_000
    expect(await check([job(7, soon)])).to.deep.equal([])
  })

  it('asks once for each rule', async () => {
    const [first] = await check([job(7, 0), job(8, 0), job(7, 0)])
    expect(first).to.deep.equal([7, 8])
  })
})
