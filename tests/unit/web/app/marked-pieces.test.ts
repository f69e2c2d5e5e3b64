import { expect } from 'chai'
import { markedPieces } from '../../../../web/app/marked-pieces.ts'

const read = {
  amount: '500000.00',
  account_number: '8832123000',
  transaction_ref: null,
  order_id: 'DH1042',
  counterpart_name: null,
  balance_after: '1730000.00',
}

const marked = (text: string, given: Partial<typeof read> = {}): string[] =>
  markedPieces(text, { ...read, ...given })
    .filter(({ isRead }) => isRead)
    .map(({ text }) => text)

describe('the marked parts of a notification', () => {
  it('are the values that were read from it', () => {
    const text = 'TK8832123000 tai BIDV +500,000VND. So du:1,730,000VND. ND: thanh toan DH 1042'
    expect(marked(text)).to.deep.equal(['8832123000', '500,000', '1,730,000', 'DH 1042'])
  })

  it('are not parts of longer numbers', () => {
    expect(marked('+1,500,000 hay 500,000,000 hay 500.000', { account_number: null as never })).to.deep.equal([
      '500.000',
    ])
  })

  it('leave the text whole', () => {
    const text = 'a (500000) b'
    expect(
      markedPieces(text, read)
        .map(({ text }) => text)
        .join(''),
    ).to.equal(text)
  })
})
