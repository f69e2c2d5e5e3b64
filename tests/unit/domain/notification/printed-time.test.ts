import { expect } from 'chai'
import { readPrintedTime, transactionDate } from '../../../../domain/notification/printed-time.ts'

const arrival = new Date('2026-11-20T03:00:00Z') // 10:00 in Vietnam
const time = (parts: Parameters<typeof readPrintedTime>[0], at = arrival) => readPrintedTime(parts, at)
const dateOf = (parts: Parameters<typeof readPrintedTime>[0]) =>
  transactionDate({ printed_time: readPrintedTime(parts, arrival) }, arrival)

describe('the time a bank printed', () => {
  it('is Vietnamese and as precise as printed', () => {
    const minute = { day: '26', month: '12', year: '2020', hour: '09', minute: '46' }
    expect(time(minute)).to.deep.equal({ at: '2020-12-26T02:46:00.000Z', precision: 'minute', year_printed: true })
    expect(time({ ...minute, year: '20', second: '12' })).to.deep.equal({
      at: '2020-12-26T02:46:12.000Z',
      precision: 'second',
      year_printed: true,
    })
  })

  it('takes a missing year from the arrival, one less where it would lie in the future', () => {
    expect(time({ day: '20', month: '11', hour: '09', minute: '03' })?.at).to.equal('2026-11-20T02:03:00.000Z')
    expect(time({ day: '21', month: '11', hour: '09', minute: '03' })?.at).to.equal('2025-11-21T02:03:00.000Z')
    expect(time({ day: '29', month: '2', hour: '09', minute: '03' })?.at).to.equal('2024-02-29T02:03:00.000Z')
  })

  it('takes the new year where the bank’s clock is a little ahead on New Year’s Eve', () => {
    const eve = new Date('2026-12-31T16:59:00Z')
    expect(time({ day: '01', month: '01', hour: '00', minute: '00' }, eve)?.at).to.equal('2026-12-31T17:00:00.000Z')
  })

  it('is none where no clock shows it or nothing is printed', () => {
    expect(time({ day: '31', month: '02', year: '2026', hour: '25', minute: '61' })).to.equal(null)
    expect(time({ day: '31', month: '02' })).to.equal(null)
    expect(time({})).to.equal(null)
  })
})

describe('the date of a transaction', () => {
  it('says where it comes from', () => {
    const day = { day: '05', month: '06', year: '2018' }
    expect(dateOf({ ...day, hour: '09', minute: '46' }).transaction_date_source).to.equal('printed')
    expect(dateOf(day)).to.deep.equal({
      transaction_date: '2018-06-04T17:00:00.000Z',
      transaction_date_source: 'printed_day',
    })
    expect(dateOf({ day: '05', month: '06', hour: '09', minute: '46' }).transaction_date_source).to.equal(
      'printed_without_year',
    )
    expect(dateOf({})).to.deep.equal({
      transaction_date: arrival.toISOString(),
      transaction_date_source: 'arrival',
    })
  })
})
