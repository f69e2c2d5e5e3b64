import { expect } from 'chai'
import type { DiskOwner, OwnedDisk } from '../../../../domain/disk.ts'
import { watchDisk } from '../../../../workflows/scheduled/watch-disk.ts'

const OPERATOR = 1
const disk = (of: DiskOwner, percent: number, place: string | null = null): OwnedDisk => ({
  of,
  space: { free: percent * 1e9, size: 100e9 },
  place,
})

/** Each call of the alerts reads their stream, so none is in vain. */
const openWatch = (unwatched: readonly DiskOwner[] = [], operator: number | null = OPERATOR) => {
  let disks: OwnedDisk[] = []
  const lasting = new Map<string, string>()
  const changes: string[] = []
  const job = watchDisk({
    disks: async () => disks,
    unwatched,
    operator: async () => operator,
    lasting: async () => [...lasting.keys()],
    alerts: {
      raise: async ({ subject, text }) => {
        if (lasting.has(subject)) throw new Error(`${subject} lasts`)
        lasting.set(subject, text.en)
        changes.push(`+ ${subject}`)
        return { checkpoint: '1' }
      },
      end: async ({ subject }) => {
        if (!lasting.delete(subject)) throw new Error(`${subject} does not last`)
        changes.push(`- ${subject}`)
        return { checkpoint: '1' }
      },
    },
    clock: { now: () => new Date() },
  })
  const look = async (...seen: OwnedDisk[]) => {
    disks = seen
    await job.run(new AbortController().signal)
    return changes.splice(0)
  }
  return { look, lasting }
}

describe('the watch on the disks', () => {
  it('raises and ends alerts for each disk separately, and names the server and the place', async () => {
    const { look, lasting } = openWatch()
    expect(await look(disk('data_folder', 50), disk('postgres', 50), disk('event_store', 50))).to.deep.equal([])
    expect(await look(disk('data_folder', 9), disk('event_store', 4, '/var/lib/eventstore'))).to.deep.equal([
      '+ disk:10',
      '+ disk:event_store:10',
      '+ disk:event_store:5',
    ])
    expect(lasting.get('disk:event_store:5')).to.match(
      /^The disk of EventStoreDB \(\/var\/lib\/eventstore\) has 3,815 MB left, 4\.0%\. /,
    )
    expect(await look(disk('postgres', 4.9))).to.deep.equal(['+ disk:postgres:10', '+ disk:postgres:5'])
    expect(lasting.get('disk:postgres:10')).to.match(/^The disk of Postgres has [\d,]+ MB left, 4\.9%\. /)
    expect(await look(disk('data_folder', 50), disk('postgres', 7))).to.deep.equal(['- disk:10', '- disk:postgres:5'])
  })

  it('waits until there is an operator', async () => {
    expect(await openWatch([], null).look(disk('data_folder', 1))).to.deep.equal([])
  })

  it('keeps the alerts of a disk that cannot be measured now, and ends those of one that is no longer watched', async () => {
    const { look, lasting } = openWatch(['postgres'])
    await look(disk('event_store', 9))
    lasting.set('disk:postgres:10', 'raised before the setting was removed')
    expect(await look()).to.deep.equal(['- disk:postgres:10'])
    expect([...lasting.keys()]).to.deep.equal(['disk:event_store:10'])
  })
})
