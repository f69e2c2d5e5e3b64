import { expect } from 'chai'
import { entryOf, installationIn, messageOf } from '../../../../../adapters/log/kafka/cloud-event.ts'
import type { RecordedEvent } from '../../../../../domain/event.ts'

const OURS = '5b0a1f39-93a4-4b0c-8f5e-0f6f9a8f7b11'
const THEIRS = '0c1d2e3f-93a4-4b0c-8f5e-0f6f9a8f7b22'

const event: RecordedEvent = {
  id: '6f1d2e3f-0000-4b0c-8f5e-0f6f9a8f7b33',
  type: 'DeliveryEnded',
  data: { transaction_id: 7, rule_id: 3, reason: 'rule_deleted' },
  metadata: { user_id: 5, at: '2026-11-21T05:00:00.000Z', correlation_id: 'c', causation_id: 'c', version: 1 },
  stream: 'transaction-7',
  revision: 2,
  checkpoint: '41',
}

/** The message as the consumer receives it. */
const onTopic = (installation: string) => {
  const { key, headers } = messageOf(event, { source: 'https://pay.example.vn', installation })!
  return { key: Buffer.from(String(key)), headers: headers! }
}

describe('an event on the topic', () => {
  it('is read by the installation that published it', () => {
    expect(entryOf(onTopic(OURS), OURS)).to.deep.equal({
      event_id: event.id,
      type: 'DeliveryEnded',
      user_id: 5,
      transaction_id: 7,
      revision: 2,
      at: event.metadata.at,
      correlation_id: 'c',
      checkpoint: '41',
    })
    expect(installationIn(onTopic(OURS).headers)).to.equal(OURS)
  })

  it('is skipped by another installation, whose transactions have the same ids', () => {
    expect(entryOf(onTopic(THEIRS), OURS)).to.equal(null)
  })

  it('is read if an older version published it without an installation id', () => {
    const { key, headers } = onTopic(OURS)
    const { ce_installation: _, ...older } = headers
    expect(entryOf({ key, headers: older }, OURS)).to.include({ transaction_id: 7 })
    expect(installationIn(older)).to.equal(null)
  })

  it('is skipped if a part that identifies it is missing or malformed', () => {
    const { key, headers } = onTopic(OURS)
    for (const [name, value] of [
      ['ce_subject', 'account-5'],
      ['ce_subject', 'transaction-7x'],
      ['ce_revision', '1.5'],
      ['ce_revision', ''],
      ['ce_id', ''],
      ['ce_type', ''],
      ['ce_time', ''],
      ['ce_checkpoint', ''],
    ] as const)
      expect(entryOf({ key, headers: { ...headers, [name]: value } }, OURS), `${name} ${value}`).to.equal(null)
    for (const other of [null, Buffer.from('null'), Buffer.from('-5')])
      expect(entryOf({ key: other, headers }, OURS)).to.equal(null)
  })

  it('is not published if it has no user or belongs to no transaction', () => {
    const from = { source: 'https://pay.example.vn', installation: OURS }
    expect(messageOf({ ...event, metadata: { ...event.metadata, user_id: null } }, from)).to.equal(null)
    expect(messageOf({ ...event, stream: 'account-7' }, from)).to.equal(null)
  })

  it('contains names and account numbers only on request', () => {
    const captured = {
      ...event,
      type: 'TransactionCaptured',
      data: { transaction_id: 7, counterpart_name: 'NGUYEN VAN A' },
    }
    const from = { source: 'https://pay.example.vn', installation: OURS }
    expect(messageOf(captured, from)!.value).to.equal('{"transaction_id":7}')
    expect(messageOf(captured, { ...from, personalData: true })!.value).to.contain('NGUYEN VAN A')
  })
})
