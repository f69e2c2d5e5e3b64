/** The HTTP side: scavenges like those of the real server, and commands that only the stand-in accepts. */
import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { json } from 'node:stream/consumers'
import { systemEvent } from './event.ts'
import type { EventLog } from './event-log.ts'
import type { Faults } from './faults.ts'
import { writeForeignEvents } from './foreign-events.ts'

export interface AdminParts {
  log: EventLog
  troubles: Faults
  /** Loses everything after a position, and ends all connections. */
  putBack(position: number): void
  /** Ends all connections, and accepts none for this many milliseconds. */
  restart(downMs: number): void
}

export const openAdmin = (parts: AdminParts): Server => {
  const scavenges = new Scavenges(parts.log, parts.troubles)
  return createServer((request, response) => {
    handle(parts, scavenges, request, response).catch((error: Error) => answer(response, 500, { error: error.message }))
  })
}

const answer = (response: ServerResponse, code: number, body: object): void => {
  response.writeHead(code, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

const handle = async (
  { log, troubles, putBack, restart }: AdminParts,
  scavenges: Scavenges,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> => {
  const route = `${request.method} ${new URL(request.url ?? '/', 'http://stand-in').pathname}`
  if (troubles.page !== null && !route.includes('/stand-in/')) return void response.writeHead(200).end(troubles.page)
  if (route === 'POST /admin/scavenge') {
    const scavengeId = scavenges.start()
    if (scavengeId === null) return answer(response, 400, { error: 'a scavenge is running' })
    return answer(response, 200, { scavengeId })
  }
  if (route === 'GET /admin/scavenge/current') return answer(response, 200, { scavengeId: scavenges.current ?? '' })
  if (route === 'GET /stats') return answer(response, 200, statistics(troubles))
  if (route === 'POST /stand-in/troubles') {
    Object.assign(troubles, await json(request))
    return answer(response, 200, troubles)
  }
  if (route === 'POST /stand-in/put-back') {
    const { position } = (await json(request)) as { position: number }
    answer(response, 200, {})
    return putBack(position)
  }
  if (route === 'POST /stand-in/foreign-events') {
    const { count } = (await json(request)) as { count: number }
    await writeForeignEvents(log, count)
    return answer(response, 200, {})
  }
  if (route === 'POST /stand-in/restart') {
    const { down_ms = 0 } = (await json(request)) as { down_ms?: number }
    answer(response, 200, {})
    return restart(down_ms)
  }
  answer(response, 404, { error: route })
}

/** A part of them, grouped as the real server does by default. */
const statistics = ({ drive }: Faults) => ({
  proc: { cpu: 1.5 },
  sys: {
    freeMem: 1e9,
    ...(drive && {
      drive: {
        [drive.place]: {
          availableBytes: drive.free,
          totalBytes: drive.size,
          usage: `${Math.floor(100 - (100 * drive.free) / drive.size)}%`,
          usedBytes: drive.size - drive.free,
        },
      },
    }),
  },
})

const PREFIX = '$scavenges-'

class Scavenges {
  readonly #log: EventLog
  readonly #troubles: Faults
  current: string | null = null
  /** The end of the log at the start of an unfinished scavenge. The next scavenge only finishes that one. */
  #unfinished: number | null = null

  constructor(log: EventLog, troubles: Faults) {
    this.#log = log
    this.#troubles = troubles
    this.#interruptRest()
  }

  /** @returns its id, or null while another one runs */
  start(): string | null {
    if (this.current !== null) return null
    const id = (this.current = randomUUID())
    void this.#run(id)
    return id
  }

  async #run(id: string): Promise<void> {
    const upTo = this.#unfinished ?? this.#log.all.at(-1)?.position ?? 0
    this.#tell(id, '$scavengeStarted', { scavengeId: id })
    await pause(this.#troubles.scavenge_ms)
    const interrupted = this.#troubles.strikes('interrupt_scavenges')
    this.#unfinished = interrupted ? upTo : null
    if (!interrupted) this.#log.scavenge(upTo)
    this.#ended(id, interrupted ? 'Interrupted' : 'Success')
    this.current = null
  }

  /** After a kill: a scavenge that has begun and not ended was interrupted. */
  #interruptRest(): void {
    const open = new Map<string, number>()
    for (const { stream, type, position } of this.#log.all)
      if (type === '$scavengeStarted') open.set(stream.slice(PREFIX.length), position)
      else if (type === '$scavengeCompleted') open.delete(stream.slice(PREFIX.length))
    for (const [id, position] of open) {
      this.#unfinished ??= position
      this.#ended(id, 'Interrupted')
    }
  }

  #ended(id: string, result: 'Interrupted' | 'Success'): void {
    this.#tell(id, '$scavengeCompleted', { scavengeId: id, result, timeTaken: '00:00:00.03', spaceSaved: 0 })
  }

  #tell(id: string, type: string, data: object): void {
    this.#log.append(`${PREFIX}${id}`, 'any', [systemEvent(type, JSON.stringify(data))])
  }
}
