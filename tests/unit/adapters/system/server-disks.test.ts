import { expect } from 'chai'
import { openServerDisks, type Measure } from '../../../../adapters/system/server-disks.ts'

const space = { free: 5, size: 10 }

describe('the disks of the servers', () => {
  it('are measured when somebody asks, at most once a minute', async () => {
    let now = 0
    let asked = 0
    const postgres: Measure = async () => {
      asked++
      return { space, place: null }
    }
    const disks = openServerDisks({ measures: { postgres }, onFailure: () => {}, elapsed: () => now })
    expect(disks.watched).to.deep.equal(['postgres'])
    expect(asked).to.equal(0)
    const [one, other] = await Promise.all([disks.measured(), disks.measured()])
    expect(one).to.deep.equal([{ of: 'postgres', space, place: null }])
    expect(other).to.equal(one)
    now = 59_999
    await disks.measured()
    expect(asked).to.equal(1)
    now = 60_000
    await disks.measured()
    expect(asked).to.equal(2)
  })

  it('are left out while they cannot be measured, which is reported once', async () => {
    let now = 0
    let error: Error | null = new Error('away')
    const failures: string[] = []
    const disks = openServerDisks({
      measures: {
        postgres: async () => ({ space, place: null }),
        event_store: async () => {
          if (error) throw error
          return null
        },
      },
      onFailure: (of, { message }) => failures.push(`${of}: ${message}`),
      elapsed: () => now,
    })
    const owners = async () => {
      now += 60_000
      return (await disks.measured()).map(({ of }) => of)
    }
    expect([await owners(), await owners()]).to.deep.equal([['postgres'], ['postgres']])
    expect(failures).to.deep.equal(['event_store: away'])
    error = null
    // It answers, and reports no disk yet.
    expect(await owners()).to.deep.equal(['postgres'])
    error = new Error('away again')
    await owners()
    expect(failures).to.deep.equal(['event_store: away', 'event_store: away again'])
  })
})
