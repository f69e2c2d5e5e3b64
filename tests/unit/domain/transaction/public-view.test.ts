import { expect } from 'chai'
import { PERSONAL_FIELDS, PUBLIC_FIELDS, publicView } from '../../../../domain/transaction/public-view.ts'
import { transactionEvents, type TransactionEventData } from '../../../../domain/transaction/events.ts'

const TYPES = Object.keys(transactionEvents) as (keyof TransactionEventData)[]

describe('the public view of an event', () => {
  for (const type of TYPES) {
    it(`contains exactly the public fields of ${type}, so a new field is private until it is listed`, () => {
      const fields = [...Object.keys(transactionEvents[type].shape), 'a_later_field']
      const isPublic = (name: string) => (PUBLIC_FIELDS[type] as readonly string[]).includes(name)
      expect(fields).to.include.members([...PUBLIC_FIELDS[type]])
      const data = Object.fromEntries(fields.map((name) => [name, `https://shop.vn/${name}`]))
      const shown = publicView({ type, data })
      expect(Object.keys(shown)).to.deep.equal(PUBLIC_FIELDS[type])
      for (const name of fields.filter((each) => !isPublic(each)))
        expect(JSON.stringify(shown)).not.to.match(new RegExp(`shop\\.vn/${name}"`))
    })
  }

  it('contains none of the five private fields of the transaction list, no name, account number or memo, and no response of a shop', () => {
    const everything = TYPES.flatMap((type) => PUBLIC_FIELDS[type] as readonly string[])
    const personal = ['account_name', 'description', 'raw_data', 'balance_after', ...PERSONAL_FIELDS]
    for (const name of [...personal, 'content', 'response_body', 'source']) expect(everything).not.to.include(name)
  })

  it('says why a payment was held back, so that no consumer counts it as paid', () => {
    for (const type of ['TransactionCaptured', 'TransactionCompleted'] as const)
      expect(publicView({ type, data: { held: 'unconfirmed_account' } })).to.deep.equal({ held: 'unconfirmed_account' })
  })

  it('contains names and account numbers only on request', () => {
    const data = Object.fromEntries(PERSONAL_FIELDS.map((name) => [name, 'NGUYEN VAN A']))
    const event = { type: 'TransactionCaptured', data: { transaction_id: 7, ...data, description: 'NGUYEN VAN A' } }
    expect(publicView(event)).to.deep.equal({ transaction_id: 7 })
    expect(publicView(event, true)).to.deep.equal({ transaction_id: 7, ...data })
    expect(publicView({ type: 'DeliveryEnded', data: { rule_id: 3, ...data } }, true)).to.deep.equal({ rule_id: 3 })
  })

  it('contains URLs without path, query, user and fragment', () => {
    const urlOf = (url: unknown) => publicView({ type: 'WebhookAttempted', data: { url } }).url
    expect(urlOf('https://me:pw@shop.vn:8443/hook/1?key=secret#part')).to.match(
      /^https:\/\/shop\.vn:8443\/#[0-9a-f]{6}$/,
    )
    expect(urlOf('https://shop.vn/one')).not.to.equal(urlOf('https://shop.vn/two'))
    expect(urlOf('not an address?key=secret')).to.match(/^#[0-9a-f]{6}$/)
  })

  it('omits unknown types and fields', () => {
    expect(publicView({ type: 'PayerRecognised', data: { transaction_id: 7, name: 'NGUYEN VAN A' } })).to.deep.equal({})
    expect(publicView({ type: 'DeliveryEnded', data: { transaction_id: 7, note: 'NGUYEN VAN A' } })).to.deep.equal({
      transaction_id: 7,
    })
    expect(publicView({ type: 'constructor', data: { transaction_id: 7 } })).to.deep.equal({})
    expect(publicView({ type: 'DeliveryEnded', data: null })).to.deep.equal({})
  })
})
