// Tests: tests/integration/receiver/receiver.test.ts
/**
 * A shop's orders and how a payment changes them (interface, section 3.2). In memory only: a real shop stores them in its
 * database.
 */
import { randomInt } from 'node:crypto'
import { BoundedMap } from '../../workflows/support/bounded-map.ts'

export interface Product {
  name: string
  /** Whole dong. */
  price: number
}

export interface Order {
  order_id: string
  product: Product
  status: 'pending' | 'paid'
  paid_at: string | null
  /** The id of the payment, so that a repeat of it is recognised. */
  transaction_id: number | string | null
}

/** The fields of a webhook that the receiver reads. Both formats contain them. */
export interface Paid {
  order_id: string
  amount: string
  transaction_id: number | string
}

const PRODUCTS: Readonly<Record<string, Product>> = { DEMO: { name: 'Demo product', price: 10_000 } }

/** The oldest orders are deleted. */
const MOST_ORDERS = 10_000

export class Shop {
  readonly #orders = new BoundedMap<string, Order>(MOST_ORDERS)
  readonly #prefix: string

  constructor(prefix: string) {
    this.#prefix = prefix
  }

  /** @returns null for an unknown product */
  order(productCode: string): Order | null {
    const product = Object.hasOwn(PRODUCTS, productCode) ? PRODUCTS[productCode]! : null
    if (!product) return null
    // Random, so that the id of one order does not reveal the next one.
    let order_id: string
    do order_id = `${this.#prefix}${randomInt(10_000_000, 100_000_000)}`
    while (this.#orders.has(order_id))
    const order: Order = { order_id, product, status: 'pending', paid_at: null, transaction_id: null }
    this.#orders.set(order_id, order)
    return order
  }

  find(orderId: string): Order | null {
    return this.#orders.get(orderId.toUpperCase()) ?? null
  }

  /** @returns whether the order was already paid; an amount that is too small leaves it pending */
  pay(order: Order, { amount, transaction_id }: Omit<Paid, 'order_id'>, now: Date): { alreadyPaid: boolean } {
    if (order.status === 'paid') return { alreadyPaid: true }
    if (Number(amount) >= order.product.price)
      Object.assign(order, { status: 'paid', paid_at: now.toISOString(), transaction_id })
    return { alreadyPaid: false }
  }
}
