/**
 * The baseline for EventStoreDB: the client alone appends events of about 0.5 KB, each to a new stream, with 64 in flight. The argument is
 * `{url, seconds}`. Prints `{perSecond}`.
 */
import { randomUUID } from 'node:crypto'
import { EventStoreDBClient, jsonEvent, NO_STREAM } from '@eventstore/db-client'
import { aboutHalfAKilobyte } from './half-a-kilobyte.ts'

const IN_FLIGHT = 64
/** The client and the server are new, and have to compile their code. */
const WARM_S = 2

const { url, seconds } = JSON.parse(process.argv[2]!) as { url: string; seconds: number }
const client = EventStoreDBClient.connectionString(url)
const run = randomUUID()

const appended = async (forSeconds: number): Promise<number> => {
  const end = performance.now() + 1_000 * forSeconds
  let count = 0
  const lane = async (): Promise<void> => {
    while (performance.now() < end) {
      const { id, type, data, metadata } = aboutHalfAKilobyte()
      const event = jsonEvent({ id, type, data: data as Record<string, unknown>, metadata })
      // Without the prefix of the installation, whose subscriptions would otherwise receive these events.
      await client.appendToStream(`bare-${run}-${forSeconds}-${count++}`, event, { expectedRevision: NO_STREAM })
    }
  }
  await Promise.all(Array.from({ length: IN_FLIGHT }, lane))
  return count
}

await appended(WARM_S)
const began = performance.now()
const count = await appended(seconds)
console.log(JSON.stringify({ perSecond: (1_000 * count) / (performance.now() - began) }))
await client.dispose()
process.exit(0)
