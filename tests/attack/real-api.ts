/** The parts that attack tests share: an API with a real store and real capture, a phone, a shop's rule, and the calls that would be sent. */
import type { TransactionEventData } from '../../domain/transaction/events.ts'
import { eventually } from '../harness/eventually.ts'
import { openApi, type ApiUnderTest } from '../integration/http/api-under-test.ts'
import type { Answer } from '../integration/http/ask.ts'
import { pairPhone } from '../integration/http/paired-phone.ts'

export interface Attacked {
  api: ApiUnderTest
  key: string
  /** Posts an SMS as the phone does. @param received_at  the phone's timestamp; null for none */
  sms(text: string, received_at?: Date | null, sender?: string): Promise<Answer>
  push(text: string, received_at?: Date | null, app?: { package: string; title: string }): Promise<Answer>
  /** The order ids of requested webhook calls, one per delivery. */
  sent(): Promise<(string | null)[]>
  /** The alerts of a kind, once there are that many. */
  alerts(kind: string, count: number): Promise<{ subject: string; text: string }[]>
  /** @param orderId  if given, waits until the transaction has it */
  transaction(id: number, orderId?: string): Promise<Record<string, unknown>>
  close(): Promise<void>
}

const DEVICE = 77

/** An account with the prefix `DH`, one rule for all credits, and one paired phone. */
export const openAttacked = async (settings: Parameters<typeof openApi>[0] = {}): Promise<Attacked> => {
  const api = await openApi(settings, 'real')
  const { api_key: key } = api.owner
  const token = await pairPhone(api, DEVICE)
  const rule = await api.ask('POST', '/api/webhooks', { key, json: { name: 'shop', url: 'http://127.0.0.1:9/hook' } })
  if (rule.status !== 201) throw new Error(JSON.stringify(rule.body))

  const post = (path: string, json: object, received_at: Date | null) =>
    api.ask('POST', `/api/receive/${path}`, {
      json: { ...json, ...(received_at && { received_at: received_at.toISOString() }) },
      headers: { 'x-device-token': token },
    })
  return {
    api,
    key,
    sms: (text, received_at = api.clock.now(), sender = 'Vietcombank') => post('sms', { sender, text }, received_at),
    push: (text, received_at = api.clock.now(), app = { package: 'com.VCB', title: 'Biến động số dư' }) =>
      post('notification', { ...app, text }, received_at),
    sent: async () => {
      const events = await api.store.readAll(null, 1_000_000)
      return events.flatMap(({ type, data }) => {
        if (!['TransactionCaptured', 'TransactionCompleted', 'WebhookRetryRequested'].includes(type)) return []
        const { order_id, rules } = data as TransactionEventData['WebhookRetryRequested']
        return rules.map(() => order_id)
      })
    },
    alerts: (kind, count) =>
      eventually(async () => {
        const { body } = await api.ask('GET', '/api/alerts', { key })
        const found = (body.data as { kind: string; subject: string; text: string }[]).filter(
          (alert) => alert.kind === kind,
        )
        return found.length >= count && found
      }),
    transaction: (id, orderId) =>
      eventually(async () => {
        const { status, body } = await api.ask('GET', `/api/transactions/${id}`, { key })
        const data = body.data as Record<string, unknown>
        return status === 200 && (orderId === undefined || data.order_id === orderId) && data
      }),
    close: () => api.close(),
  }
}
