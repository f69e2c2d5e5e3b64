// Tests: tests/integration/server-disks.test.ts
/**
 * The disk of EventStoreDB, which each node reports in its statistics. In a cluster, the disk with the least space counts. Some
 * releases report the file system at `/` instead of the one that holds the data, so the place is named with the numbers.
 */
import { z } from 'zod'
import { shareFree, type OwnedDisk } from '../../../domain/disk.ts'
import type { Answered } from '../until-answered.ts'
import { nodesOf, urlOfNode } from './cluster.ts'
import type { Connection } from './connection.ts'
import { request } from './http.ts'

type Measured = Pick<OwnedDisk, 'space' | 'place'>

const bytes = z.coerce.number().nonnegative()
const Statistics = z.object({
  sys: z.object({ drive: z.record(z.string(), z.object({ availableBytes: bytes, totalBytes: bytes })).default({}) }),
})

export interface ServerParts {
  /** The URL of `connection`. */
  url: string
  /** A connection to the server, or to any node of a cluster. */
  connection: Connection
  /** Opens a connection to another node with the same options. */
  connect(url: string): Connection
  /** Retries for some seconds while a node is unavailable. */
  answered: Answered
}

/** @returns null if nothing is reported, as in the first seconds of a server */
export const diskOf = async ({ url, connection, connect, answered }: ServerParts): Promise<Measured | null> => {
  const nodes = (await answered(() => nodesOf(connection))).filter(({ isAlive }) => isAlive)
  if (nodes.length === 0) return smallest(await drivesOf(connection))
  const ofEach = nodes.map(async (node) => {
    const own = connect(urlOfNode(url, node))
    const drives = await drivesOf(own).finally(() => own.close())
    return drives.map(({ place, space }) => ({ space, place: `${node.host}:${node.port} ${place}` }))
  })
  const known = (await Promise.allSettled(ofEach)).filter((each) => each.status === 'fulfilled')
  return smallest(known.flatMap(({ value }) => value))
}

const drivesOf = async (connection: Connection): Promise<Measured[]> => {
  const statistics = Statistics.parse(await connection.call((attempt) => request(attempt, 'GET', '/stats')))
  return Object.entries(statistics.sys.drive)
    .map(([place, { availableBytes, totalBytes }]) => ({ place, space: { free: availableBytes, size: totalBytes } }))
    .filter(({ space }) => space.size > 0)
}

const smallest = (disks: readonly Measured[]): Measured | null =>
  disks.reduce<Measured | null>(
    (least, each) => (least === null || shareFree(each.space) < shareFree(least.space) ? each : least),
    null,
  )
