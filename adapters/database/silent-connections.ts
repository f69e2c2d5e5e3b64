// Tests: tests/integration/adapters/silent-connections.test.ts
/**
 * Gives up connections that are lost without a sign: the server's machine is gone, or a firewall has forgotten them. The system notices that
 * only after 15 minutes to two hours, and until then a statement without a time limit, such as those of a projector, would wait.
 *
 * A connection that waits for an answer and is silent is looked up on the server, over a new connection. It is kept as long as the server works
 * on its statement or cannot be asked. The server may just have finished, so it is asked twice, and more often after a large statement.
 */
import type pg from 'pg'
import { ANSWERS_WITHIN_MS, type Opener } from './pooler.ts'

export const LOOK_EVERY_MS = 3_000
const SILENT_LOOKS = 2
const IDLE_LOOKS = 2
/** A large statement may still be on its way to the server. It gets one more check for each of these parts, so 100 KB a second are enough. */
const BYTES_PER_LOOK = 300_000

/** A session that waits for its client has no work, because here the client waits too. A server may not show what its sessions do. */
const WORKING = `SELECT pid FROM pg_catalog.pg_stat_activity
  WHERE pid = ANY ($1::integer[]) AND coalesce(state, '') NOT LIKE 'idle%' AND coalesce(wait_event_type, '') <> 'Client'`

/** Members of the driver that its types do not show. */
interface Insight {
  readyForQuery: boolean
  connection: { stream: { bytesRead: number; bytesWritten: number; destroy(reason: Error): void } }
}

class Watched {
  readonly backend: number
  readonly #client: Insight
  #bytes = -1
  /** Bytes that had been written when the last statement was answered. */
  #answered = 0
  #silent = 0
  #idle = 0

  constructor(client: pg.ClientBase, backend: number) {
    this.#client = client as unknown as Insight
    this.backend = backend
    client.on('drain', () => (this.#answered = this.#client.connection.stream.bytesWritten))
  }

  /** Called at every check. @returns whether it has waited for an answer without a byte since earlier checks */
  isSilent(): boolean {
    if (this.#hasMoved()) this.#silent = this.#idle = 0
    else this.#silent++
    return this.#silent >= SILENT_LOOKS
  }

  /** Called with what the server says. */
  learn(isWorking: boolean): void {
    const { stream } = this.#client.connection
    const onItsWay = Math.floor((stream.bytesWritten - this.#answered) / BYTES_PER_LOOK)
    if (isWorking || this.#hasMoved()) this.#silent = this.#idle = 0
    else if (++this.#idle === IDLE_LOOKS + onItsWay)
      stream.destroy(new Error('Connection terminated: the server has no statement of this silent connection'))
  }

  #hasMoved(): boolean {
    const { bytesRead, bytesWritten } = this.#client.connection.stream
    const before = this.#bytes
    this.#bytes = bytesRead + bytesWritten
    return this.#client.readyForQuery || this.#bytes !== before
  }
}

/**
 * @param open  opens a connection to the same server, with a time limit
 * @returns a function that watches a connection until it ends. It needs the process id of its session on the server, which a pooler hides.
 */
export const watchConnections = (open: Opener, everyMs: number): ((client: pg.ClientBase, backend: number) => void) => {
  const watched = new Set<Watched>()
  let timer: NodeJS.Timeout | undefined
  let isAsking = false

  const working = async (backends: number[]): Promise<Set<number>> => {
    const client = await open()
    try {
      const asked = { text: WORKING, values: [backends], query_timeout: ANSWERS_WITHIN_MS }
      return new Set((await client.query<{ pid: number }>(asked)).rows.map(({ pid }) => pid))
    } finally {
      client.end().catch(() => {})
    }
  }
  const look = async (): Promise<void> => {
    const silent = [...watched].filter((each) => each.isSilent())
    if (silent.length === 0 || isAsking) return
    isAsking = true
    try {
      const busy = await working(silent.map(({ backend }) => backend))
      for (const each of silent) each.learn(busy.has(each.backend))
    } catch {
      // The server is away. Whether these connections are lost is known when it is back.
    } finally {
      isAsking = false
    }
  }
  return (client, backend) => {
    const each = new Watched(client, backend)
    watched.add(each)
    timer ??= setInterval(() => void look(), everyMs).unref()
    client.once('end', () => {
      watched.delete(each)
      if (watched.size > 0) return
      clearInterval(timer)
      timer = undefined
    })
  }
}
