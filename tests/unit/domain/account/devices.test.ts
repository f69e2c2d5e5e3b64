/** Tests of devices: given an account, when a command arrives at a time, then these events result. */
import { expect } from 'chai'
import type { Account } from '../../../../domain/account/account.ts'
import { evolve } from '../../../../domain/account/account.ts'
import {
  addDevice,
  deviceOf,
  inviteDevice,
  openInvitations,
  pairDevice,
  removeDevice,
  renameDevice,
} from '../../../../domain/account/devices.ts'
import type { AccountEvent, Plan } from '../../../../domain/account/events.ts'
import { hashOfToken } from '../../../../domain/account/tokens.ts'
import { Refused } from '../../../../domain/errors.ts'

const USER = 1
const START = Date.parse('2026-03-10T00:00:00.000Z')
const minute = (minutes: number): Date => new Date(START + minutes * 60_000)

const given = (plan: Plan, ...events: AccountEvent[]): Account =>
  [
    {
      type: 'AccountRegistered',
      data: { user_id: USER, email: 'a@b.vn', name: null, operator: false, registered_at: minute(0).toISOString() },
    } as const,
    { type: 'PlanChanged', data: { user_id: USER, plan, expires_at: null } } as const,
    ...events,
  ].reduce<Account | null>(evolve, null)!

const invited = (device_id: number, code: string): AccountEvent[] =>
  inviteDevice(given('Pro'), { device_id, name: `phone ${device_id}`, code_hash: hashOfToken(code), at: minute(0) })

const pair = (account: Account, code: string, at: Date) =>
  pairDevice(account, { code, token_hash: 'token hash', platform: 'android', model: null, at })

const refusal = (decide: () => unknown): string => {
  try {
    return `decided ${JSON.stringify(decide())}`
  } catch (error) {
    if (error instanceof Refused) return error.code
    throw error
  }
}

describe('a device', () => {
  it('is paired once by its code within ten minutes', () => {
    const account = given('Free', ...invited(5, 'code'))
    expect(openInvitations(account, minute(9))).to.have.length(1)
    const paired = pair(account, 'code', minute(9))
    expect(paired).to.deep.equal([
      {
        type: 'DevicePaired',
        data: { user_id: USER, device_id: 5, token_hash: 'token hash', platform: 'android', model: null },
      },
    ])
    const after = evolve(account, paired[0])!
    expect(deviceOf(after, 5, minute(60))).to.include({ device_id: 5, name: 'phone 5', token_hash: 'token hash' })
    expect(refusal(() => pair(after, 'code', minute(9)))).to.equal('UNAUTHORIZED')
  })

  it('is not paired by another code, nor after ten minutes', () => {
    const account = given('Free', ...invited(5, 'code'))
    expect(refusal(() => pair(account, 'another', minute(1)))).to.equal('UNAUTHORIZED')
    expect(refusal(() => pair(account, 'code', minute(10)))).to.equal('UNAUTHORIZED')
  })

  it('counts towards the limit until its code expires, even if it is not paired', () => {
    const account = given('Free', ...invited(5, 'code'))
    const another = (at: Date) =>
      refusal(() => inviteDevice(account, { device_id: 6, name: 'x', code_hash: 'h', at }).map(({ type }) => type))
    expect(another(minute(9))).to.equal('DEVICE_LIMIT_REACHED')
    expect(another(minute(10))).to.equal('decided ["DeviceInvited"]')
    expect(refusal(() => deviceOf(account, 5, minute(10)))).to.equal('NOT_FOUND')
  })

  for (const [plan, most] of Object.entries({ Free: 1, Basic: 2, Advanced: 5, Pro: 10 }))
    it(`is refused after ${most} devices on the ${plan} plan (section 8), added or invited`, () => {
      const events: AccountEvent[] = []
      for (let number = 0; number < most; number++) {
        const account = given(plan as Plan, ...events)
        const at = minute(1)
        const device = { device_id: 100 + number, name: 'x', at }
        events.push(
          ...(number % 2 === 0
            ? addDevice(account, { ...device, token_hash: 'h' })
            : inviteDevice(account, { ...device, code_hash: 'h' })),
        )
      }
      const full = given(plan as Plan, ...events)
      expect(refusal(() => addDevice(full, { device_id: 9, name: 'x', token_hash: 'h', at: minute(1) }))).to.equal(
        'DEVICE_LIMIT_REACHED',
      )
    })

  it('can be renamed before and after pairing, and the same name changes nothing', () => {
    const account = given('Free', ...invited(5, 'code'))
    const rename = (name?: string) => renameDevice(account, { device_id: 5, name, at: minute(1) })
    expect(rename('shop')).to.deep.equal([
      { type: 'DeviceRenamed', data: { user_id: USER, device_id: 5, name: 'shop' } },
    ])
    expect(rename('phone 5')).to.deep.equal([])
    expect(rename()).to.deep.equal([])
    const paired = evolve(account, pair(account, 'code', minute(1))[0])!
    const renamed = evolve(paired, rename('shop')[0]!)!
    expect(renamed.devices.get(5)?.name).to.equal('shop')
  })

  it('cannot be paired after it is removed', () => {
    const account = given('Free', ...invited(5, 'code'))
    const gone = evolve(account, removeDevice(account, 5, minute(1))[0]!)!
    expect(refusal(() => pair(gone, 'code', minute(1)))).to.equal('UNAUTHORIZED')
    expect(refusal(() => removeDevice(gone, 5, minute(1)))).to.equal('NOT_FOUND')
  })
})
