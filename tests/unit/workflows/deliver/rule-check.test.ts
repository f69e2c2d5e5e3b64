import { expect } from 'chai'
import type { Job } from '../../../../workflows/deliver/lanes.ts'
import { openRuleCheck } from '../../../../workflows/deliver/rule-check.ts'
import { eventually } from '../../../harness/eventually.ts'

const job = (rule_id: number, since: number) => ({ rule_id, since, claimed: { rule: { account_revision: 1 } } }) as Job

/** One check of waiting deliveries. Their rules are as they were at the claim. @returns the rules that it asked for, in each statement */
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
    return Promise.resolve(rules.map((rule_id) => ({ rule_id, account_revision: 1, url: '' })))
  }
  const giveBack = () => Promise.reject(new Error('no rule has changed'))
  const onError = (error: unknown) => {
    throw error
  }
  openRuleCheck({ queue: { presentRules }, waiting, giveBack, stopping: stopping.signal, onError }).watch()
  // It looks whether any waits, at which, and whether any still waits.
  await eventually(() => looks >= (jobs.length === 0 ? 1 : 3), { what: 'a check' })
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
