/** The faults of a shop's endpoint at the first attempts. At later attempts each endpoint behaves correctly. */
import type { ServerResponse } from 'node:http'
import { eventually } from '../../harness/eventually.ts'
import { World } from '../../harness/world.ts'
import { openEndpoint, type Endpoint } from './endpoint.ts'
import { Oracle, type Verdict } from './oracle.ts'

/** The number of notifications to each endpoint. */
const NOTIFICATIONS = 8

export interface ReceiverCell {
  name: string
  /** Answers a call with a fault. Returns true if the answer was a 2xx status line. */
  misbehave(response: ServerResponse): boolean
  /** The number of attempts of each delivery with a fault; default: the first only. */
  attempts?: number
  /** The notifications with a fault; default: all. */
  at?: (number: number) => boolean
  /** The rule is ordered. */
  ordered?: true
  /** The owner's repair. */
  mend?: (owner: Owner) => Promise<unknown>
  /** The first URL of the rule. */
  url?: string
}

interface Owner {
  ruleId: number
  url: string
  api: World['api']
}

const drip = (response: ServerResponse, text: string): void => {
  let at = 0
  const timer = setInterval(() => {
    if (response.destroyed || at >= text.length) clearInterval(timer)
    else response.socket?.write(text[at++]!)
  }, 1_000)
}

const KILOBYTE = Buffer.alloc(64 * 1024, 'x')

const pour = (response: ServerResponse): void => {
  let left = 1024 ** 3
  const more = (): void => {
    while (left > 0 && !response.destroyed) {
      left -= KILOBYTE.length
      if (!response.write(KILOBYTE)) return void response.once('drain', more)
    }
    response.end()
  }
  more()
}

/**
 * Ten consecutive failures would open the breaker. Its probes take longer than the retry schedule here, so deliveries would end as failed.
 */
const everyOther = (number: number): boolean => number % 2 === 0

export const receiverCells: readonly ReceiverCell[] = [
  {
    name: 'answers 500 twice',
    attempts: 2,
    at: everyOther,
    misbehave: (response) => (response.writeHead(500).end('no'), false),
  },
  {
    name: 'answers 500 twice, to a rule that asks for order',
    attempts: 2,
    ordered: true,
    at: everyOther,
    misbehave: (response) => (response.writeHead(500).end('no'), false),
  },
  { name: 'hangs', misbehave: () => false },
  { name: 'drips its headers', misbehave: (response) => (drip(response, 'HTTP/1.1 200 OK\r\n'), false) },
  {
    name: 'drips its body',
    misbehave: (response) => {
      response.writeHead(200, { 'content-length': 1_000 })
      response.flushHeaders()
      drip(response, 'x'.repeat(1_000))
      return true
    },
  },
  { name: 'closes before it answers', misbehave: (response) => (response.destroy(), false) },
  {
    name: 'closes in the middle of its body',
    misbehave: (response) => {
      response.writeHead(200, { 'content-length': 1_000 })
      response.write('x', () => response.destroy())
      return true
    },
  },
  { name: 'sends 1 GB', misbehave: (response) => (response.writeHead(200), pour(response), true) },
  {
    name: 'redirects',
    misbehave: (response) => (response.writeHead(302, { location: 'http://127.0.0.1:9/' }).end(), false),
  },
  {
    name: 'answers 429 with Retry-After',
    misbehave: (response) => (response.writeHead(429, { 'retry-after': '2' }).end(), false),
  },
  {
    name: 'answers 410',
    // Only the last notification, because later ones would find the rule paused.
    at: (number) => number === NOTIFICATIONS,
    misbehave: (response) => (response.writeHead(410).end(), false),
    mend: async (owner) => {
      const isPaused = async () => {
        const { body } = await owner.api('GET', '/api/webhooks')
        const rules = body.data as { id: number; is_active: number }[]
        return rules.find(({ id }) => id === owner.ruleId)?.is_active === 0
      }
      await eventually(isPaused, { what: 'a paused rule' })
      await owner.api('PUT', `/api/webhooks/${owner.ruleId}`, { is_active: 1 })
      // A transaction is failed only once all its deliveries are over.
      const failed = async () => {
        const { body } = await owner.api('GET', '/api/transactions')
        return (body.data as { webhook_status: string }[]).some(({ webhook_status }) => webhook_status === 'failed')
      }
      await eventually(failed, { within: 60_000, what: 'a failed transaction' })
      const { body } = await owner.api('POST', '/api/webhooks/bulk-retry')
      if (body.count !== 1) throw new Error(`bulk retry answered ${JSON.stringify(body)}`)
    },
  },
  {
    name: 'has a name that DNS does not know',
    misbehave: () => false,
    attempts: 0,
    url: 'http://shop.invalid/hook',
    mend: async (owner) => {
      const tried = async () => {
        const { body } = await owner.api('GET', `/api/webhooks/${owner.ruleId}/logs`)
        return (body.data as unknown[]).length >= NOTIFICATIONS
      }
      await eventually(tried, { within: 60_000, what: 'an attempt of every delivery' })
      await owner.api('PUT', `/api/webhooks/${owner.ruleId}`, { url: owner.url })
    },
  },
]

const open = (cell: ReceiverCell, api: Owner['api']): Promise<Endpoint> =>
  openEndpoint({
    name: cell.name,
    api,
    rule: cell.ordered ? { ordered: 1 } : {},
    ...(cell.url !== undefined && { url: cell.url }),
    answer: ({ number, attempt }, response) => {
      const isBad = attempt <= (cell.attempts ?? 1) && (cell.at?.(number) ?? true)
      if (!isBad) response.writeHead(200).end()
      return !isBad || cell.misbehave(response) ? 'taken' : 'refused'
    },
  })

export interface ReceiverResult extends Verdict {
  cell: string
}

/** Runs all cells side by side, each as a rule of one account: every notification goes to all of them. */
export const runReceiverCells = async (): Promise<ReceiverResult[]> => {
  const world = await World.open({ env: { RETRY_SCHEDULE: '1,1,2,5,10,30' } })
  const api: Owner['api'] = (...call) => world.api(...call)
  const endpoints: Endpoint[] = []
  try {
    const oracle = new Oracle()
    const mending: Promise<unknown>[] = []
    for (const cell of receiverCells) {
      const endpoint = await open(cell, api)
      endpoints.push(endpoint)
      if (cell.mend) mending.push(cell.mend({ ruleId: endpoint.rule.id, url: endpoint.url, api }))
    }
    for (let sent = 0; sent < NOTIFICATIONS; sent++) await oracle.post(world.installation.personalUrl)
    await Promise.all(mending)
    await oracle.settled(endpoints, 120_000)
    return await Promise.all(
      endpoints.map(async (endpoint) => ({ cell: endpoint.name, ...(await oracle.verdict([endpoint])) })),
    )
  } finally {
    await world.close()
    await Promise.all(endpoints.map((endpoint) => endpoint.close()))
  }
}
