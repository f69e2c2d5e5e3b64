import { expect } from 'chai'
import { arePaymentStepsDone, stepsDone } from '../../../../web/app/checklist.ts'

describe('the first steps of a newcomer', () => {
  const nothing = { transactions: 0, delivered: 0, devices: [], mailboxes: [], url: null, systems: [], rules: [] }

  it('are open while the account has nothing', () => {
    expect(stepsDone(nothing)).to.deep.equal({
      text: false,
      call: false,
      source: false,
      shop: false,
      webhook: false,
    })
  })

  it('are done by what the account has, where the built-in inbox is not a webhook of a shop', () => {
    const inbox = { url: 'https://baoco.example/inbox/x' }
    expect(stepsDone({ ...nothing, transactions: 1, delivered: 1, rules: [inbox] })).to.deep.equal({
      text: true,
      call: true,
      source: false,
      shop: false,
      webhook: false,
    })
    const shop = { url: 'https://shop.example/hook' }
    expect(stepsDone({ ...nothing, rules: [inbox, shop] }).webhook).to.equal(true)
    expect(stepsDone({ ...nothing, systems: [{ is_active: 0 }] }).shop).to.equal(false)
    expect(stepsDone({ ...nothing, systems: [{ is_active: 0 }, { is_active: 1 }] }).shop).to.equal(true)
  })

  it('name as source a paired phone, a mailbox, or an app that has sent to the personal URL', () => {
    const hasSource = (given: Partial<Parameters<typeof stepsDone>[0]>) => stepsDone({ ...nothing, ...given }).source
    expect(hasSource({ devices: [{ paired: false }] })).to.equal(false)
    expect(hasSource({ devices: [{ paired: false }, { paired: true }] })).to.equal(true)
    expect(hasSource({ mailboxes: [{ id: 1 }] })).to.equal(true)
    expect(hasSource({ url: { last_heard_at: null } })).to.equal(false)
    expect(hasSource({ url: { last_heard_at: '2026-11-25T08:00:00.000Z' } })).to.equal(true)
  })
  it('wait for payments until a text, a call and the personal URL have been used', () => {
    const used = { transactions: 1, delivered: 1, url: { last_heard_at: '2026-11-25T08:00:00.000Z' } }
    expect(arePaymentStepsDone(used)).to.equal(true)
    const unused = { transactions: 0, delivered: 0, url: null }
    for (const [name, value] of Object.entries(unused))
      expect(arePaymentStepsDone({ ...used, [name]: value }), name).to.equal(false)
  })
})
