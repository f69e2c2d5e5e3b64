/** The bank texts that the page offers are read as what they say. */
import { expect } from 'chai'
import { orderIdOf } from '../../../../domain/reader/order-id.ts'
import { transactionDate } from '../../../../domain/reader/printed-time.ts'
import { read } from '../../../../domain/reader/reader.ts'
import { SAMPLE_BANKS } from '../../../../web/app/sample-texts.ts'

const NOW = new Date('2026-11-24T17:05:42.000Z')

/** The payers that the texts name. */
const PAYER = 'NGUYEN VAN AN'

describe('the sample texts', () => {
  for (const { code, name, sender, text } of SAMPLE_BANKS)
    it(`of ${name} are read from the bank's own sender, with their order id`, () => {
      const given = text({
        account: '0011000415567',
        orderId: 'DH4711',
        amount: 1_250_000,
        balance: 23_450_000,
        at: NOW,
        number: '900123456',
      })
      const { reading } = read({ text: given, sender }, NOW)
      expect(reading, given).to.deep.include({
        bank_code: code,
        bank_name: name,
        transaction_type: 'credit',
        amount: '1250000.00',
        currency: 'VND',
        account_number: '0011000415567',
        balance_after: '23450000.00',
      })
      expect(reading!.read_by, given).not.to.equal('labels')
      expect(orderIdOf(reading!.content, given, ['DH'])).to.deep.equal({ order_id: 'DH4711', prefix: 'DH' })
      // A name in the payer's own words proves nothing and is not read, so a text with one would look misread.
      expect(reading!.counterpart_name, given).to.equal(given.includes(PAYER) ? PAYER : null)
      expect(code === 'VCB', 'the first one names the payer').to.equal(given.includes(PAYER))
      const { transaction_date } = transactionDate(reading!, NOW)
      expect(transaction_date.slice(0, 16), given).to.equal('2026-11-24T17:05')
    })
})
