/** A mailbox of the owner on a real server, with the mails that arrived in it and their expected results. */
import { expect } from 'chai'
import type { RecordedEvent } from '../../domain/event.ts'
import { timoMail } from '../harness/bank-mails.ts'

/** Above the numbers of all posted notifications. */
const FIRST_NUMBER = 500_000

export class Mailbox {
  /** Amount by order id. */
  readonly mailed = new Map<string, string>()
  readonly #deliver: (mail: string) => Promise<void>

  constructor(deliver: (mail: string) => Promise<void>) {
    this.#deliver = deliver
  }

  /** Delivers this many mails, each of another payment. */
  async receive(count: number): Promise<void> {
    for (let n = 0; n < count; n++) {
      const number = FIRST_NUMBER + this.mailed.size
      const [amount, orderId] = [number * 10, `DH${number}`]
      await this.#deliver(timoMail(number, orderId, { amount }))
      this.mailed.set(orderId, `${amount}.00`)
    }
  }

  /** @param captured  all `TransactionCaptured` of the installation @returns the ids of those that mails became, one each */
  expectEachOnce(captured: readonly RecordedEvent[]): number[] {
    const byMail = captured
      .map(({ data }) => data as { transaction_id: number; source_type: string; order_id: string; amount: string })
      .filter(({ source_type }) => source_type === 'email')
    expect(byMail.map(({ order_id, amount }) => [order_id, amount]).sort(), 'each mail is there once').to.deep.equal(
      [...this.mailed].sort(),
    )
    return byMail.map(({ transaction_id }) => transaction_id)
  }
}
