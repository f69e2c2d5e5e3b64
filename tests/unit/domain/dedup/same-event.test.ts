import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { DedupWindow } from '../../../../domain/dedup/window.ts'
import { verdictOn } from '../../../../domain/dedup/verdict.ts'
import type { Arrival } from '../../../../domain/arrival/arrival.ts'
import { receivePathOf } from '../../../../domain/arrival/origin.ts'
import { read } from '../../../../domain/reader/reader.ts'
import { appraise } from '../../../../domain/transaction/appraisal.ts'
import { captured } from '../../../../domain/transaction/capture.ts'
import { completed } from '../../../../domain/transaction/copies.ts'
import { evolveAll, type LiveTransaction } from '../../../../domain/transaction/transaction.ts'
import { accountOf, shownOf } from '../../../harness/accounts.ts'

interface Line {
  id: string
  case: string
  notifications: {
    source: 'phone' | 'tablet' | 'url'
    type: 'sms' | 'notification' | 'text'
    sender?: string
    package?: string
    title?: string
    text: string
    stamp?: string
    arrives?: string
  }[]
  expected: { verdict: string; of?: number | number[]; order_id?: string | null; completes?: string }[]
}

const corpus = readFileSync(new URL('../../../corpus/same-event.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Line)

/** Some of these apps send no sender. */
const account = accountOf(7, { withoutSender: true })
const DEVICES = { phone: 1, tablet: 2, url: 0 }

const arrivalOf = ({ source, type, stamp, arrives, ...incoming }: Line['notifications'][number]): Arrival => ({
  credential: shownOf(7, DEVICES[source]),
  incoming,
  posted_as: type === 'text' ? null : type,
  stamp: stamp ? new Date(stamp) : null,
  arrived_at: new Date((arrives ?? stamp)!),
  raw: JSON.stringify(incoming),
})

/** The judgement of each notification: its verdict, the index of the notification to which it belongs, its order id. */
const judge = (notifications: Line['notifications']) => {
  const window = new DedupWindow()
  const firsts = new Map<number, LiveTransaction>()
  return notifications.map((notification, index) => {
    const arrival = arrivalOf(notification)
    const receivePath = receivePathOf(account, arrival.credential, arrival.arrived_at)!
    const movement = appraise(account, receivePath, arrival, read(arrival.incoming, arrival.arrived_at))
    if (movement.kind !== 'movement') throw new Error(`not read: ${notification.text}`)
    const probe = window.probe(movement.sighting)
    const verdict = verdictOn(window, probe, movement.origin.channel === 'push')
    const { order_id } = movement.matched
    const id = index + 1
    if (verdict.kind === 'resend') return { verdict: 'resend', of: verdict.of - 1, order_id, completes: undefined }
    window.add(id, verdict.kind === 'copy' ? verdict.event : id, probe)
    if (verdict.kind === 'new') {
      const facts = [captured(id, 7, movement, null)]
      firsts.set(id, evolveAll(null, facts, facts[0]!.data.created_at) as LiveTransaction)
      return { verdict: 'new', of: undefined, order_id, completes: undefined }
    }
    const [completion] = completed(firsts.get(verdict.event)!, id, movement)
    return { verdict: 'already_run', of: verdict.event - 1, order_id, completes: completion && order_id }
  })
}

describe('the same-event corpus', () => {
  for (const { id, case: name, notifications, expected } of corpus)
    it(`is judged as expected in case ${id}: ${name}`, () => {
      const judged = judge(notifications)
      expect(judged.map(({ verdict }) => verdict)).to.deep.equal(expected.map(({ verdict }) => verdict))
      const taken = new Set<number | undefined>()
      judged.forEach(({ of, order_id, completes }, index) => {
        const wanted = expected[index]!
        if (Array.isArray(wanted.of)) {
          expect(wanted.of).to.include(of)
          expect(taken.has(of), 'each of them once').to.equal(false)
          taken.add(of)
        } else expect(of).to.equal(wanted.of)
        if (wanted.order_id !== undefined) expect(order_id).to.equal(wanted.order_id)
        expect(completes ?? undefined).to.equal(wanted.completes)
      })
    })

  it('has 33 cases', () => expect(corpus).to.have.length(33))
})

describe('a reference that a payer writes into two memos', () => {
  const at = (second: number) => `2026-11-20T10:00:${second}+07:00`
  const memo = (order: string) => `${order} MBVCB.911539506`
  const push = (order: string, balance: string, second: number): Line['notifications'][number] => ({
    source: 'phone',
    type: 'notification',
    package: 'com.vnpay.bidv',
    title: 'Thông báo BIDV',
    stamp: at(second),
    text: `Thời gian giao dịch: 10:00 20/11/2026\nTài khoản thanh toán: 8832123000\nSố tiền GD: +150,000 VND\nSố dư cuối: ${balance} VND\nNội dung giao dịch: ${memo(order)}`,
  })
  const sms = (order: string, second: number): Line['notifications'][number] => ({
    source: 'phone',
    type: 'sms',
    sender: 'BIDV',
    stamp: at(second),
    text: `TK8832123000 tai BIDV +150,000VND vao 10:00 20/11/2026. ND: ${memo(order)}`,
  })

  it('joins no copy to the payment of another order, however near it is', () => {
    const judged = judge([
      push('DH1042', '1,150,000', 26),
      push('DH1043', '1,300,000', 40),
      sms('DH1042', 39),
      sms('DH1043', 41),
    ])
    expect(judged.map(({ verdict, of }) => [verdict, of])).to.deep.equal([
      ['new', undefined],
      ['new', undefined],
      ['already_run', 0],
      ['already_run', 1],
    ])
  })
})
