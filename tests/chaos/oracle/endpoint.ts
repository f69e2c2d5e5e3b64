/** A shop's endpoint under observation: its rule, every call it received, and the result of each notification there. */
import type { ServerResponse } from 'node:http'
import type { callApi } from '../../harness/baoco-process.ts'
import { openShop, type ReceivedCall } from '../../harness/shop.ts'

export interface SeenCall extends ReceivedCall {
  /** The number of the notification, which its order id contains. */
  number: number
  transaction_id: number
  amount: number
  attempt: number
}

/** The endpoint's answer to a call: after `refused for good` no further attempt follows. */
export type Answered = 'taken' | 'refused' | 'refused for good'

export interface Endpoint {
  name: string
  /** The calls that it received, in order. */
  calls: readonly SeenCall[]
  /** The number of calls received when a notification was over: accepted with a 2xx status line, or refused for good. */
  over: ReadonlyMap<number, number>
  /** The data of its rule. */
  rule: { id: number; secret: string; ordered: boolean; min_amount: number }
  url: string
  close(): Promise<void>
}

export interface EndpointOptions {
  name: string
  api: (method: string, path: string, body?: unknown) => ReturnType<typeof callApi>
  answer: (call: SeenCall, response: ServerResponse) => Answered | Promise<Answered>
  /** Fields of the rule besides name and url. */
  rule?: { ordered?: 1; min_amount?: number; max_per_minute?: number }
  /** The first URL of the rule if it is not this endpoint's. */
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
