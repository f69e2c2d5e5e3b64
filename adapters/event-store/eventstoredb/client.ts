// Tests: tests/integration/eventstoredb/cluster.test.ts
/**
 * One client of the server. In a cluster, the client first has to discover a node. That may take longer than a call may
 * wait, and then fail. The client leaves some of these failures unhandled, which would end the process.
 */
import { EventStoreDBClient } from '@eventstore/db-client'
import { DAY_MS } from '../../../domain/time.ts'
import { endedWithin } from '../../../workflows/support/ended-within.ts'
import { decodeBase64Natively } from './base64.ts'
import { NoAnswer } from './outage.ts'

/** Ending the calls of a client needs no round trip, so this is the longest wait for it. */
const GOODBYE_MS = 500

/**
 * Options of every append. The server compares the deadline with its own clock, which may be far ahead, and refuses an append after it. So the
 * deadline is the latest that the client sends. An attempt ends long before: by our own timeout, and by the server's.
 */
export const APPENDING = { requiresLeader: true, deadline: 365 * DAY_MS } as const

/** Internal methods of the client. */
interface Inside {
  /** Discovers a node and connects to it. */
  createChannel(): Promise<{ close(): void }>
  /** Gives up the channel of a failed call. The client does not wait for it. */
  handleError(...call: unknown[]): Promise<void>
}

export interface OpenClient {
  client: EventStoreDBClient
  /** Ends its calls and closes its connection. */
  end(): Promise<void>
}

/** It reads the files that the URL names. */
const clientOf = (url: string): EventStoreDBClient => {
  try {
    return EventStoreDBClient.connectionString(url)
  } catch (error) {
    const { message } = error as Error
    throw new Error(`check tlsCAFile, userCertFile and userKeyFile of EVENTSTORE_URL: ${message}`, { cause: error })
  }
}

/** @param url  in the client's format */
export const openClient = (url: string): OpenClient => {
  decodeBase64Natively()
  const client = clientOf(url)
  const inside = client as unknown as Inside
  const { createChannel, handleError } = inside
  let open: { close(): void } | undefined
  let hasEnded = false

  inside.createChannel = async () => {
    if (hasEnded) throw new NoAnswer('the connection was closed')
    const channel = await createChannel()
    if (hasEnded) channel.close()
    return (open = channel)
  }
  // It waits for the discovery that another call has begun, and fails with it.
  inside.handleError = (...call) => handleError(...call).catch(() => {})

  return {
    client,
    end: async () => {
      hasEnded = true
      // `dispose` leaves the connection open until its idle timeout.
      await endedWithin(GOODBYE_MS, client.dispose())
      open?.close()
    },
  }
}
