// Tests: tests/integration/receiver/receiver.test.ts
/** Orders of the example shop: created with a QR code for the payment, and polled by the page that waits for it. */
import { vietQr } from '../../domain/vietqr/payload.ts'
import { BoundedMap } from '../../workflows/support/bounded-map.ts'
import { qrSvg } from '../http/resources/qr-code.ts'
import { failed, objectOf, type Answer } from './answers.ts'
import type { Order, Shop } from './shop.ts'

/** The account that customers pay to. */
export interface Bank {
  bank_code: string
  account_number: string
  account_holder: string
}

/** Milliseconds. One query per order in this time (interface, section 6). */
const POLLING_MS = 2_000
const MOST_POLLERS = 10_000

/** @returns whether a poller may ask now */
const pollLimit = (): ((poller: string) => boolean) => {
  const polledAt = new BoundedMap<string, number>(MOST_POLLERS)
  return (poller) => {
    const at = performance.now()
    const last = polledAt.get(poller)
    if (last !== undefined && at - last < POLLING_MS) return false
    polledAt.set(poller, at)
    return true
  }
}

export const openOrders = (shop: Shop, bank: Bank) => {
  const mayPoll = pollLimit()

  const payloadOf = ({ order_id, product }: Order): string =>
    vietQr({ ...bank, amount: product.price, content: order_id })

  const makeOrder = async (rawBody: Buffer, host: string): Promise<Answer> => {
    const code = objectOf(rawBody)?.product_code
    const order = typeof code === 'string' ? shop.order(code) : null
    if (!order) return failed(400, 'There is no such product.')
    const qr_payload = payloadOf(order)
    return {
      status: 201,
      body: {
        order_id: order.order_id,
        amount: order.product.price,
        product_name: order.product.name,
        bank_code: bank.bank_code,
        bank_account: bank.account_number,
        bank_holder: bank.account_holder,
        qr_url: `http://${host}/orders/${order.order_id}/qr.svg`,
        qr_payload,
        qr_svg: await qrSvg(qr_payload),
      },
    }
  }

  const showOrder = (orderId: string, address: string): Answer => {
    if (!mayPoll(`${address} ${orderId}`))
      return { ...failed(429, 'Send at most one request every 2 seconds.'), headers: { 'retry-after': '2' } }
    const order = shop.find(orderId)
    if (!order) return failed(404, 'There is no such order.')
    const { status, paid_at, product } = order
    return { status: 200, body: { status, paid_at, amount: product.price } }
  }

  const drawOrder = async (orderId: string): Promise<Answer> => {
    const order = shop.find(orderId)
    if (!order) return failed(404, 'There is no such order.')
    return { status: 200, body: await qrSvg(payloadOf(order)), headers: { 'content-type': 'image/svg+xml' } }
  }

  return { makeOrder, showOrder, drawOrder }
}
