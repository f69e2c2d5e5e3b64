/** A shop's orders and what a payment does to them (interface, section 3.2). In memory: a real one keeps them in its database. */
import { randomInt } from 'node:crypto'

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
  /** Of the payment, so that the same one told again is known. */
  transaction_id: number | string | null
}

/** What the receiver reads of a webhook; both formats have it. */
export interface Paid {
  order_id: string
  amount: string
  transaction_id: number | string
}

const PRODUCTS: Readonly<Record<string, Product>> = { DEMO: { name: 'Demo product', price: 10_000 } }

/** The oldest are forgotten. */
const MOST_ORDERS = 10_000

export class Shop {
  readonly #orders = new Map<string, Order>()
  readonly #prefix: string

  constructor(prefix: string) {
    this.#prefix = prefix
  }

  /** @returns null for a product that there is not */
  order(productCode: string): Order | null {
    const product = Object.hasOwn(PRODUCTS, productCode) ? PRODUCTS[productCode]! : null
    if (!product) return null
    // Not counted up: who knows one order's id must not know the next one's.
    let order_id: string
    do order_id = `${this.#prefix}${randomInt(10_000_000, 100_000_000)}`
    while (this.#orders.has(order_id))
    const order: Order = { order_id, product, status: 'pending', paid_at: null, transaction_id: null }
    this.#orders.set(order_id, order)
    if (this.#orders.size > MOST_ORDERS) this.#orders.delete(this.#orders.keys().next().value!)
    return order
  }

  find(orderId: string): Order | null {
    return this.#orders.get(orderId.toUpperCase()) ?? null
  }

  /** @returns whether it was paid before; too little leaves it pending */
  pay(order: Order, { amount, transaction_id }: Omit<Paid, 'order_id'>, now: Date): { alreadyPaid: boolean } {
    if (order.status === 'paid') return { alreadyPaid: true }
    if (Number(amount) >= order.product.price)
      Object.assign(order, { status: 'paid', paid_at: now.toISOString(), transaction_id })
    return { alreadyPaid: false }
  }
}
