/** Tests whether the oracle detects errors: a receiver accepts notifications, and the test makes calls like those of a faulty delivery. */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createHmac } from 'node:crypto'
import { expect } from 'chai'
import { Webhook } from 'standardwebhooks'
import type { Endpoint, SeenCall } from './endpoint.ts'
import { attemptName, LARGE, Oracle } from './oracle.ts'

const SECRET = '0123456789abcdef0123456789abcdef0123456789abcdef'
const RULE = 7

/** The id that `post` receives for notification `number`. */
const transactionOf = (number: number): number => 1_000 + number

const amountIn = (text: string): number => Number(/\+([\d,]+)VND/.exec(text)![1]!.replaceAll(',', ''))

describe('the oracle', () => {
  let server: Server
  let url: string
  let oracle: Oracle
  let texts: string[]
  let calls: SeenCall[]
  let over: Map<number, number>

  beforeEach(async () => {
    texts = []
    server = createServer((request, response) => {
      let text = ''
      request.setEncoding('utf8').on('data', (piece: string) => (text += piece))
      request.on('end', () => {
        texts.push(text)
        response.end(JSON.stringify({ success: true, data: { id: transactionOf(texts.length) } }))
      })
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    oracle = new Oracle()
    calls = []
    over = new Map()
  })
  afterEach(() => void server.close())

  const endpoint = (rule: Partial<Endpoint['rule']> = {}): Endpoint => ({
    name: 'a shop',
    calls,
    over,
    url: '',
    close: () => Promise.resolve(),
    rule: { id: RULE, secret: SECRET, ordered: false, min_amount: 0, ...rule },
  })

  const post = async (count: number): Promise<void> => {
    for (let sent = 0; sent < count; sent++) await oracle.post(url)
  }

  /** A correct call, with the given differences. */
  const call = (number: number, { attempt = 1, secret = SECRET, isOver = true, ...otherwise }: Partial<SeenCall> & { secret?: string; isOver?: boolean } = {}): void => {
    const payment = { transaction_id: transactionOf(number), amount: amountIn(texts[number - 1]!), ...otherwise }
    const body = JSON.stringify({ ...payment, order_id: `DH${number}` })
    const [id, at] = [`msg_${payment.transaction_id}_${RULE}`, new Date(1_767_580_200_000)]
    const headers = {
      'webhook-id': id, 'webhook-timestamp': '1767580200', 'x-webhook-attempt': String(attempt),
      'x-webhook-signature': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
      'webhook-signature': new Webhook(secret).sign(id, at, body),
    }
    calls.push({ method: 'POST', path: '/', headers, body, at: 0, number, attempt, ...payment })
    if (isOver && !over.has(number)) over.set(number, calls.length)
  } // prettier-ignore

  const verdict = (rule?: Partial<Endpoint['rule']>, claims?: Map<string, number>) =>
    oracle.verdict([endpoint(rule)], claims)

  const WELL = { accepted: 3, lost: 0, altered: 0, out_of_order: 0, duplicated: 0, explained: 0, claims_open: 0 }

  it('reports nothing if each notification arrived once, unchanged, in any order', async () => {
    await post(3)
    for (const number of [2, 3, 1]) call(number)
    expect(await verdict()).to.deep.equal(WELL)
  })

  it('counts notifications that never arrived, or arrived and were never accepted', async () => {
    await post(3)
    call(1)
    call(2, { isOver: false })
    expect(await verdict()).to.deep.equal({ ...WELL, lost: 2 })
  })

  it('expects only large notifications for a rule with a minimum amount', async () => {
    await post(10)
    expect(await verdict({ min_amount: LARGE })).to.include({ accepted: 10, lost: 1 })
    call(10)
    expect(await verdict({ min_amount: LARGE })).to.include({ lost: 0, altered: 0 })
    call(1)
    expect(await verdict({ min_amount: LARGE })).to.include({ altered: 1 })
  })

  it('counts calls with other content or another signature', async () => {
    await post(3)
    call(1, { amount: 1 })
    call(2, { transaction_id: 5 })
    call(3, { secret: 'f'.repeat(48) })
    expect(await verdict()).to.deep.equal({ ...WELL, altered: 3 })
  })

  it('counts a mail as accepted once it is in the mailbox, without the id of its transaction', async () => {
    await post(1)
    const mails: string[] = []
    const intoMailbox = (mail: string) => Promise.resolve(void mails.push(mail))
    for (let sent = 0; sent < 2; sent++) await oracle.mail(intoMailbox)
    expect(mails).to.have.length(2)
    expect(await oracle.mail(() => Promise.reject(new Error('full'))).catch((error: Error) => error.message)).to.equal(
      'full',
    )
    expect(await verdict()).to.deep.equal({ ...WELL, lost: 3 })
    texts.push('+22,000VND', '+23,000VND')
    call(1)
    call(2, { transaction_id: 77 })
    call(3, { transaction_id: 78, amount: 1 })
    expect(await verdict()).to.deep.equal({ ...WELL, altered: 1 })
  })

  it('counts repeated attempts, and names those with an open claim', async () => {
    await post(3)
    for (const number of [1, 1, 2, 2, 2, 3]) call(number)
    const claims = new Map([
      [attemptName(transactionOf(2), RULE, 1), 1],
      [attemptName(transactionOf(3), RULE, 1), 1],
      [attemptName(999, RULE, 1), 1],
    ])
    expect(await verdict({}, claims)).to.deep.equal({ ...WELL, duplicated: 3, explained: 1, claims_open: 2 })
  })

  it('counts a notification that became two transactions, which no claim explains', async () => {
    await post(3)
    for (const number of [1, 2, 3]) call(number)
    call(3, { transaction_id: 5 })
    const claims = new Map([[attemptName(5, RULE, 1), 1]])
    expect(await verdict({}, claims)).to.include({ duplicated: 1, explained: 0 })
  })

  it('counts attempts that arrived after a later one', async () => {
    await post(3)
    for (const number of [1, 2, 3]) call(number, { isOver: false })
    call(1, { attempt: 3 })
    call(1, { attempt: 2 })
    call(2, { attempt: 2 })
    call(3, { attempt: 2 })
    expect(await verdict()).to.deep.equal({ ...WELL, out_of_order: 1 })
  })

  it('counts calls of an ordered rule that arrived before the previous one was over', async () => {
    await post(3)
    call(1, { isOver: false })
    call(1, { attempt: 2 })
    call(3)
    call(2)
    expect(await verdict()).to.include({ out_of_order: 0 })
    expect(await verdict({ ordered: true })).to.deep.equal({ ...WELL, out_of_order: 1 })
  })

  it('requires no order of notifications that were sent concurrently', async () => {
    await Promise.all([oracle.post(url), oracle.post(url)])
    await post(1)
    for (const number of [2, 1, 3]) call(number)
    expect(await verdict({ ordered: true })).to.include({ out_of_order: 0 })
  })

  it('counts as accepted only notifications answered with 2xx, and expects no others', async () => {
    await post(2)
    server.removeAllListeners('request').on('request', (_request, response) => response.writeHead(503).end())
    await post(1)
    call(1)
    call(2)
    expect(await verdict()).to.deep.equal({ ...WELL, accepted: 2 })
  })
})
