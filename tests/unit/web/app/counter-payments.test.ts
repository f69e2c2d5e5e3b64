import { expect } from 'chai'
import { mergedPayments, newestArrived, type Payment } from '../../../../web/app/counter-payments.ts'

const paid = (id: number, second: number): Payment => ({
  id,
  amount: '1.00',
  currency: 'VND',
  order_id: null,
  at: new Date(Date.UTC(2026, 10, 26, 10, 0, second)).toISOString(),
})
const ids = (all: readonly Payment[]): number[] => all.map(({ id }) => id)
const ten = Array.from({ length: 10 }, (_, index) => paid(2_010 - index, 30 - index))

describe('the payments at the counter', () => {
  it('are in the order of their time, even if a later one has a lower id', () => {
    expect(ids(mergedPayments(ten, [paid(7, 40)])).slice(0, 2)).to.deep.equal([7, 2_010])
    expect(mergedPayments(ten, [paid(7, 40)])).to.have.length(10)
  })
  it('are each shown once', () => {
    expect(ids(mergedPayments([paid(1, 1)], [paid(1, 1), paid(2, 1)]))).to.deep.equal([2, 1])
  })
  it('are new if they were not shown before', () => {
    expect(newestArrived(ten, [paid(7, 40)])?.id).to.equal(7)
    expect(newestArrived(ten, [paid(7, 29)])?.id, 'stored a moment late').to.equal(7)
    expect(newestArrived(ten, ten)).to.equal(undefined)
    expect(newestArrived([], [paid(1, 1), paid(2, 2)])?.id).to.equal(2)
    const nine = ten.slice(0, 9)
    expect(newestArrived(nine, [...nine, paid(7, 1)])?.id, 'of a phone that reports late').to.equal(7)
  })
  it('are not new if they only take the place of a deleted one', () => {
    expect(newestArrived(ten, [...ten.slice(1), paid(1_999, 1)])).to.equal(undefined)
  })
})
