import { expect } from 'chai'
import type { Arrival, Taken } from '../../../../domain/arrival/arrival.ts'
import { StoreUnavailable } from '../../../../domain/errors.ts'
import type { Capture } from '../../../../workflows/capture/capture.ts'
import { handingOver, ownerAmong, OwnerLost, type Owner } from '../../../../workflows/capture/hand-over.ts'

const arrival = (user_id: number): Arrival => ({
  credential: { kind: 'receive_url', user_id, token_hash: 'x' },
  incoming: { text: 'a text' },
  posted_as: null,
  stamp: null,
  arrived_at: new Date(0),
  raw: 'a text',
})
const here: Taken[] = [{ kind: 'ignored', reason: 'here' }]
const there: Taken[] = [{ kind: 'ignored', reason: 'there' }]

describe('handing notifications over to the owner of their account', () => {
  let waited: number | undefined
  const own: Capture = {
    isBusy: () => true,
    take: async (_arrivals, waitedMs) => {
      waited = waitedMs
      return here
    },
  }
  const owner: Owner = { take: async () => there }
  const lost: Owner = { take: () => Promise.reject(new OwnerLost('gone')) }
  const capture = (owners: (Owner | null)[], clock = () => 0) => handingOver(own, () => owners.shift() ?? null, clock)

  it('decides here for accounts that this process owns, and elsewhere for the others', async () => {
    expect(await capture([null]).take([arrival(1)])).to.equal(here)
    expect(await capture([owner]).take([arrival(1)])).to.equal(there)
  })

  it('decides here if they belong to several accounts', async () => {
    expect(await capture([owner]).take([arrival(1), arrival(2)])).to.equal(here)
  })

  it('decides here if they are very large', async () => {
    expect(await capture([owner]).take([{ ...arrival(1), raw: 'x'.repeat(300_000) }])).to.equal(here)
  })

  it('takes back what a lost owner did not answer, and counts the time that was lost', async () => {
    let now = 100
    expect(await capture([lost, lost, owner]).take([arrival(1)])).to.equal(there)
    const taken = await capture([lost], () => (now += 1_000)).take([arrival(1)], 50)
    expect(taken).to.equal(here)
    expect(waited).to.be.above(1_000)
  })

  it('does not decide again if the owner could not store them', async () => {
    const refusing: Owner = { take: () => Promise.reject(new StoreUnavailable('away')) }
    const error = await capture([refusing])
      .take([arrival(1)])
      .catch((thrown: unknown) => thrown)
    expect(error).to.be.instanceOf(StoreUnavailable)
  })
})

describe('the owner among processes', () => {
  const processes = [0x11111111, 0x9abcdef0, 0x7fffffff, 0xffffffff]
  const users = Array.from({ length: 4_000 }, (_, n) => n + 1)
  const ownersAmong = (ids: readonly number[]) => users.map((user) => ownerAmong(user, ids))

  it('does not depend on the order in which a process knows them', () => {
    expect(ownersAmong(processes)).to.deep.equal(ownersAmong(processes.toReversed()))
  })

  it('owns about as many accounts as the others', () => {
    const owners = ownersAmong(processes)
    for (const id of processes) expect(owners.filter((owner) => owner === id).length).to.be.within(850, 1_150)
  })

  it('keeps its accounts when another one goes', () => {
    const before = ownersAmong(processes)
    const after = ownersAmong(processes.slice(1))
    before.forEach((owner, n) => owner !== processes[0] && expect(after[n]).to.equal(owner))
  })
})
