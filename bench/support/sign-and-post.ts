/**
 * The baseline for the whole way: a loop that only signs and posts bodies, with the service's own sender and connection pools.
 * The argument is `{url, count, concurrency}`. Prints `{seconds}`.
 */
import { openSender } from '../../adapters/webhook-sender/sender.ts'
import { signedHeaders } from '../../domain/webhook/signature.ts'
import { vietcombankText } from '../../tests/harness/bank-texts.ts'

const { url, count, concurrency } = JSON.parse(process.argv[2]!) as { url: string; count: number; concurrency: number }
const secret = 'c0ffee'.repeat(8)
const sender = openSender({ allowPrivate: true })
const signal = new AbortController().signal

const bodyOf = (number: number, timestamp: number): string =>
  JSON.stringify({
    event: 'bank_transaction',
    bank_code: 'VCB',
    bank_name: 'Vietcombank',
    transaction_type: 'credit',
    amount: '150000.00',
    currency: 'VND',
    balance_after: '1000000.00',
    account_number: '0011000415567',
    transaction_ref: `MBVCB.${number}`,
    transaction_date: new Date().toISOString(),
    description: vietcombankText(number, `DH${number}`),
    counterpart_name: null,
    order_id: `DH${number}`,
    transaction_id: number,
    timestamp,
  })

let number = 0
const lane = async (): Promise<void> => {
  while (number < count) {
    const own = ++number
    const timestamp = Math.floor(Date.now() / 1000)
    const body = bodyOf(own, timestamp)
    const headers = signedHeaders({ body, secret, webhookId: `tx_${own}_1`, timestamp, attempt: 1 })
    const { http_status, response_body } = await sender.send({ method: 'POST', url, headers, body }, signal)
    if (http_status !== 200) throw new Error(`the receiver answered ${http_status}: ${response_body}`)
  }
}
const began = performance.now()
await Promise.all(Array.from({ length: concurrency }, lane))
console.log(JSON.stringify({ seconds: (performance.now() - began) / 1000 }))
await sender.close()
