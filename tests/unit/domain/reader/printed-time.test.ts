import { expect } from 'chai'
import { readPrintedTime, timeIn, transactionDate } from '../../../../domain/reader/printed-time.ts'

const arrival = new Date('2026-11-20T03:00:00Z') // 10:00 in Vietnam
const time = (parts: Parameters<typeof readPrintedTime>[0], at = arrival) => readPrintedTime(parts, at)
const dateOf = (parts: Parameters<typeof readPrintedTime>[0]) =>
  transactionDate({ printed_time: readPrintedTime(parts, arrival) }, arrival)

describe('the time that a bank printed', () => {
  it('is in Vietnamese time and as precise as printed', () => {
    const minute = { day: '26', month: '12', year: '2020', hour: '09', minute: '46' }
    expect(time(minute)).to.deep.equal({ at: '2020-12-26T02:46:00.000Z', precision: 'minute', year_printed: true })
    expect(time({ ...minute, year: '20', second: '12' })).to.deep.equal({
      at: '2020-12-26T02:46:12.000Z',
      precision: 'second',
      year_printed: true,
    })
  })

  it('takes a missing year from the arrival, or the year before if it would be in the future', () => {
    expect(time({ day: '20', month: '11', hour: '09', minute: '03' })?.at).to.equal('2026-11-20T02:03:00.000Z')
    expect(time({ day: '21', month: '11', hour: '09', minute: '03' })?.at).to.equal('2025-11-21T02:03:00.000Z')
    expect(time({ day: '29', month: '2', hour: '09', minute: '03' })?.at).to.equal('2024-02-29T02:03:00.000Z')
  })

  it('takes the new year on New Year’s Eve if the clock of the bank is slightly fast', () => {
    const eve = new Date('2026-12-31T16:59:00Z')
    expect(time({ day: '01', month: '01', hour: '00', minute: '00' }, eve)?.at).to.equal('2026-12-31T17:00:00.000Z')
  })

  it('takes this year if our clock may be behind, as one that shows UTC as Vietnamese time', () => {
    expect(time({ day: '20', month: '11', hour: '17', minute: '00' })?.at).to.equal('2026-11-20T10:00:00.000Z')
    expect(time({ day: '20', month: '11', hour: '22', minute: '01' })?.at).to.equal('2025-11-20T15:01:00.000Z')
    const eve = new Date('2026-12-31T10:30:00Z') // 17:30
    expect(time({ day: '01', month: '01', hour: '00', minute: '30' }, eve)?.at).to.equal('2026-12-31T17:30:00.000Z')
  })

  it('is null if it is impossible or not printed', () => {
    expect(time({ day: '31', month: '02', year: '2026', hour: '25', minute: '61' })).to.equal(null)
    expect(time({ day: '31', month: '02' })).to.equal(null)
    for (const year of ['0000', '0001', '0026']) expect(time({ day: '01', month: '01', year })).to.equal(null)
    expect(time({})).to.equal(null)
  })
})

describe('a time in a text', () => {
  it('is found in every format that banks print', () => {
    for (const [text, at, precision] of [
      ['tk 1 luc 26-12-2020 09:46:12. sd 1', '2020-12-26T02:46:12.000Z', 'second'],
      ['vao 10:20 09/10/2026; so du', '2026-10-09T03:20:00.000Z', 'minute'],
      ['11:11 chu nhat 23/08/2026', '2026-08-23T04:11:00.000Z', 'minute'],
      ['12:11 thu tu 13/05/2026', '2026-05-13T05:11:00.000Z', 'minute'],
      ['08:30 ngay 01/03/2025', '2025-03-01T01:30:00.000Z', 'minute'],
      ['16:54;11/06/2018', '2018-06-11T09:54:00.000Z', 'minute'],
      ['thoi gian:10:20 09/10/2026', '2026-10-09T03:20:00.000Z', 'minute'],
      ['20/04/24;09:13', '2024-04-20T02:13:00.000Z', 'minute'],
      ['2026-08-25 18:52:04', '2026-08-25T11:52:04.000Z', 'second'],
      ['16h08p 13/06 tk', '2026-06-13T09:08:00.000Z', 'minute'],
      ['26/09/2026, 08:00:00', '2026-09-26T01:00:00.000Z', 'second'],
      ['tinh den 29/09/2026.', '2026-09-28T17:00:00.000Z', 'day'],
    ] as const)
      expect(timeIn(text, arrival), text).to.include({ at, precision })
  })

  it('may be that of a clock of 12 hours', () => {
    for (const [text, at] of [
      ['luc 31/12/2025 09:46 pm. sd 1', '2025-12-31T14:46:00.000Z'],
      ['luc 31/12/2025 9:46:10pm. sd 1', '2025-12-31T14:46:10.000Z'],
      ['31/12/2025 09:46 ch\ntai khoan', '2025-12-31T14:46:00.000Z'],
      ['31/12/2025 09:46 sa\ntai khoan', '2025-12-31T02:46:00.000Z'],
      ['09:46 pm 31/12/2025', '2025-12-31T14:46:00.000Z'],
      ['09h46 ch, 31/12/2025', '2025-12-31T14:46:00.000Z'],
      ['12:10 am 31/12/2025', '2025-12-30T17:10:00.000Z'],
      ['12:10 pm 31/12/2025', '2025-12-31T05:10:00.000Z'],
      ['21:46 pm 31/12/2025', '2025-12-31T14:46:00.000Z'],
      ['2025-12-31 09:46:12 pm', '2025-12-31T14:46:12.000Z'],
      ['luc 31/12/2025 09:46 chuyen tien', '2025-12-31T02:46:00.000Z'],
    ] as const)
      expect(timeIn(text, arrival)?.at, text).to.equal(at)
  })

  it('is not found in accounts, sums and references', () => {
    expect(timeIn('03:10:20 09/10/2026', arrival)).to.include({ at: '2026-10-08T20:10:20.000Z' })
    for (const text of ['tk 3319689-002', '1,500,000vnd', '292017.261220.094610', '24/7', '10/20', 'tv-150324-00001'])
      expect(timeIn(text, arrival), text).to.equal(null)
  })
})

describe('the date of a transaction', () => {
  it('includes its source', () => {
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
