/** A shop's endpoint under watch: the rule that leads to it, every call it saw, and what became of each notification there. */
import type { ServerResponse } from 'node:http'
import type { callApi } from '../../harness/baoco-process.ts'
import { openShop, type ReceivedCall } from '../../harness/shop.ts'

export interface SeenCall extends ReceivedCall {
  /** The notification's: its order id says it. */
  number: number
  transaction_id: number
  amount: number
  attempt: number
}

/** What it made of a call: `refused for good` where no further attempt comes after it. */
export type Answered = 'taken' | 'refused' | 'refused for good'

export interface Endpoint {
  name: string
  /** Calls that reached it, in their order. */
  calls: readonly SeenCall[]
  /** How many calls had come when a notification was over: taken with a 2xx status line, or refused for good. */
  over: ReadonlyMap<number, number>
  /** Of its rule. */
  rule: { id: number; secret: string; ordered: boolean; min_amount: number }
  url: string
  close(): Promise<void>
}

export interface EndpointOptions {
  name: string
  api: (method: string, path: string, body?: unknown) => ReturnType<typeof callApi>
  answer: (call: SeenCall, response: ServerResponse) => Answered | Promise<Answered>
  /** Of the rule, beside name and url. */
  rule?: { ordered?: 1; min_amount?: number }
  /** Where the rule leads at first, when not to it. */
  url?: string
}

const seen = (call: ReceivedCall): SeenCall => {
  const { transaction_id, order_id, amount } = JSON.parse(call.body) as Record<string, unknown>
  return {
    ...call,
    number: Number(String(order_id).replace(/^DH/, '')),
    transaction_id: Number(transaction_id),
    amount: Number(amount),
    attempt: Number(call.headers['x-webhook-attempt']),
  }
}

export const openEndpoint = async ({ name, api, answer, rule = {}, url }: EndpointOptions): Promise<Endpoint> => {
  const calls: SeenCall[] = []
  const over = new Map<number, number>()
  const shop = await openShop((received, response) => {
    const call = seen(received)
    calls.push(call)
    void Promise.resolve(answer(call, response)).then((answered) => {
      if (answered !== 'refused' && !over.has(call.number)) over.set(call.number, calls.length)
    })
  })
  const { status, body } = await api('POST', '/api/webhooks', { name, url: url ?? shop.url, ...rule })
  if (status !== 201) throw new Error(`a rule was not taken: ${JSON.stringify(body)}`)
  const { id, secret_key: secret } = body.data as { id: number; secret_key: string }
  return {
    name,
    calls,
    over,
    rule: { id, secret, ordered: rule.ordered === 1, min_amount: rule.min_amount ?? 0 },
    url: shop.url,
    close: () => shop.close(),
  }
}
