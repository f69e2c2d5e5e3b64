import { expect } from 'chai'
import type { StatsFs } from 'node:fs'
import { UnknownError } from '@eventstore/db-client'
import { Metadata } from '@grpc/grpc-js'
import { isDiskFull, openDisk, type DiskChange } from '../../../../adapters/system/disk.ts'
import { DiskFull, StoreUnavailable } from '../../../../domain/errors.ts'
import type { EventStore } from '../../../../domain/ports.ts'
import { errorOf } from '../../../harness/outcomes.ts'

const MEGABYTE = 1024 ** 2

/** As the driver of Postgres reports it. */
const pgError = (code: string, message = code): Error => Object.assign(new Error(message), { severity: 'ERROR', code })

const statfs = (free: number, reserved = 0): StatsFs =>
  ({ bsize: MEGABYTE, blocks: 1_000, bfree: free + reserved, bavail: free }) as StatsFs

/** A store whose next answer is set by the test. */
const openWorld = async ({ folder = null as string | null } = {}) => {
  let failure: Error | null = null
  let appends = 0
  let free = 500
  let now = 0
  const changes: boolean[] = []
  const databaseChanges: boolean[] = []
  const call = async () => {
    if (failure) throw failure
    return []
  }
  const append = async () => {
    appends++
    await call()
    return [{ ok: true, checkpoint: '1' }]
  }
  const store = { append, read: call, readAll: call, end: call } as unknown as EventStore
  const disk = await openDisk({
    folder,
    onChange: ({ isFull, of }: DiskChange) => (of === 'store' ? changes : databaseChanges).push(isFull),
    statfs: async () => {
      if (free < 0) throw new Error('no such folder')
      return statfs(free)
    },
    elapsed: () => now,
    isLost: (error) => (error as { code?: string }).code === 'ECONNREFUSED',
  })
  disk.close()
  return {
    disk,
    changes,
    databaseChanges,
    forRequests: disk.guard(store, { refuses: true }),
    forWork: disk.guard(store, { refuses: false }),
    fails: (error: Error | null) => (failure = error),
    frees: async (megabytes: number) => {
      free = megabytes
      await disk.measure()
    },
    passes: (milliseconds: number) => (now += milliseconds),
    appends: () => appends,
  }
}

describe('the disk', () => {
  it('is known as full by the errors of Postgres, EventStoreDB and the file system', () => {
    for (const error of [
      pgError('53100'),
      // Postgres has no code for a quota, and before version 17 none for what a new connection writes.
      pgError('XX000', 'could not extend file "base/5/16385": Disk quota exceeded'),
      pgError('XX000', 'could not write init file'),
      Object.assign(new Error('write'), { code: 'ENOSPC' }),
      Object.assign(new Error('write'), { code: 'EDQUOT' }),
      // The client keeps the words of the server.
      new UnknownError(
        Object.assign(new Error('2 UNKNOWN: No space left on device : /var/lib/eventstore/chunk-000001.000000'), {
          code: 2,
          details: '',
          metadata: new Metadata(),
        }),
      ),
      new Error('There is not enough space on the disk.'),
    ])
      expect(isDiskFull(error), error.message).to.equal(true)
    for (const error of [pgError('53200'), pgError('53300'), new Error('Connection terminated'), null, 'ENOSPC'])
      expect(isDiskFull(error)).to.equal(false)
  })

  it('is not reported full because a caller wrote the words of such an error, which Postgres quotes', () => {
    expect(isDiskFull(pgError('22P02', 'invalid input syntax for type uuid: "no space left on device"'))).to.equal(
      false,
    )
  })

  it('is full while less than the reserve is free; then requests append nothing, and other work does', async () => {
    const { disk, frees, forRequests, forWork, appends, changes } = await openWorld({ folder: '/data' })
    expect(disk.space()).to.deep.equal({ free: 500 * MEGABYTE, size: 1_000 * MEGABYTE })
    await forRequests.append([])
    await frees(31)
    expect(disk.isFull()).to.equal(true)
    expect(await errorOf(forRequests.append([]))).to.be.instanceOf(DiskFull)
    expect(appends()).to.equal(1)
    await forRequests.read([])
    await forWork.append([])
    expect(disk.isFull()).to.equal(true)
    await frees(33)
    await forRequests.append([])
    expect(changes).to.deep.equal([true, false])
  })

  it('counts the space reserved for root as used', async () => {
    const disk = await openDisk({ folder: '/data', statfs: async () => statfs(100, 50) })
    disk.close()
    expect(disk.space()).to.deep.equal({ free: 100 * MEGABYTE, size: 950 * MEGABYTE })
  })

  it('without inodes says so when a write has failed, because many bytes are free', async () => {
    for (const [inodes, isOutOfInodes] of [
      [{ files: 1_000, ffree: 0 }, true],
      [{ files: 1_000, ffree: 1 }, false],
      // Some file systems do not count them.
      [{ files: 0, ffree: 0 }, false],
    ] as const) {
      const changes: DiskChange[] = []
      const disk = await openDisk({
        folder: '/data',
        statfs: async () => ({ ...statfs(500), ...inodes }),
        onChange: (change) => changes.push(change),
      })
      disk.close()
      expect(changes).to.deep.equal([])
      const append = () => Promise.reject(pgError('53100'))
      await errorOf(disk.guard({ append } as unknown as EventStore, { refuses: true }).append([]))
      expect(changes.map((change) => change.isOutOfInodes)).to.deep.equal([isOutOfInodes])
    }
  })

  it('of a server is full after its error, until a write succeeds or half a minute has passed', async () => {
    const { disk, fails, passes, forRequests, changes } = await openWorld()
    expect([disk.space(), disk.isFull()]).to.deep.equal([null, false])
    for (const error of [
      pgError('53100'),
      new DiskFull(pgError('53100')),
      new StoreUnavailable('x', { cause: pgError('53100') }),
    ]) {
      fails(error)
      expect(await errorOf(forRequests.append([]))).to.be.instanceOf(DiskFull)
      expect(disk.isFull()).to.equal(true)
    }
    expect(changes).to.deep.equal([true])
    fails(null)
    await forRequests.append([])
    expect(disk.isFull()).to.equal(false)
    fails(pgError('53100'))
    await errorOf(forRequests.append([]))
    passes(30_000)
    await disk.measure()
    expect(changes).to.deep.equal([true, false, true, false])
  })

  it("of the read models' server is full after its error for half a minute, and refuses nothing", async () => {
    const { disk, passes, forRequests, changes, databaseChanges } = await openWorld()
    expect(disk.databaseFailed(pgError('57P01'))).to.equal(false)
    expect(disk.isDatabaseFull()).to.equal(false)
    for (let n = 0; n < 2; n++) expect(disk.databaseFailed(pgError('53100'))).to.equal(true)
    await forRequests.append([])
    passes(20_000)
    // It has ended, because it had no space.
    expect(disk.databaseFailed(Object.assign(new Error('connect'), { code: 'ECONNREFUSED' }))).to.equal(false)
    passes(20_000)
    expect([disk.isFull(), disk.isDatabaseFull()]).to.deep.equal([false, true])
    expect(disk.databaseFailed(new Error('no such mailbox'))).to.equal(false)
    passes(10_000)
    await disk.measure()
    expect(disk.isDatabaseFull()).to.equal(false)
    expect([changes, databaseChanges]).to.deep.equal([[], [true, false]])
  })

  it('of the embedded database is measured, even if the read models meet it', async () => {
    const { disk, frees, databaseChanges } = await openWorld({ folder: '/data' })
    expect(disk.databaseFailed(pgError('53100'))).to.equal(false)
    await frees(0)
    expect(disk.databaseFailed(pgError('53100'))).to.equal(true)
    expect(databaseChanges).to.deep.equal([])
  })

  it('is named if the database does not respond while it is full, and only then', async () => {
    const { frees, fails, forRequests } = await openWorld({ folder: '/data' })
    const away = new StoreUnavailable('away')
    fails(away)
    expect(await errorOf(forRequests.read([]))).to.equal(away)
    await frees(0)
    const error = await errorOf(forRequests.read([]))
    expect(error).to.be.instanceOf(DiskFull)
    expect((error as Error).cause).to.equal(away)
  })

  it('that cannot be measured refuses nothing', async () => {
    const { disk, frees, forRequests } = await openWorld({ folder: '/data' })
    await errorOf(frees(-1))
    const unknown = await openDisk({ folder: '/data', statfs: () => Promise.reject(new Error('no such folder')) })
    unknown.close()
    expect([unknown.space(), unknown.isFull(), disk.isFull()]).to.deep.equal([null, false, false])
    await forRequests.append([])
  })
})
