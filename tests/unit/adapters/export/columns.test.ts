import { expect } from 'chai'
import {
  COLUMN_NAMES,
  fieldsOf,
  headingOf,
  isPersonal,
  USUAL_COLUMNS,
  valuesOf,
} from '../../../../adapters/export/columns.ts'
import { EXPORTED, type ExportedTransaction } from '../../../../projections/transaction/export-queries.ts'

const row = (given: Partial<ExportedTransaction>): ExportedTransaction =>
  ({ amount: '150000.00', transaction_type: 'credit', already_run_of: null, ...given }) as ExportedTransaction

describe('the columns of an export', () => {
  it('are the fields of a transaction, its day and time, and money in and out', () => {
    expect(COLUMN_NAMES).to.have.members([...EXPORTED, 'date', 'time', 'money_in', 'money_out'])
    expect(fieldsOf(['date', 'time', 'money_in'])).to.deep.equal([
      'transaction_date',
      'amount',
      'transaction_type',
      'already_run_of',
    ])
  })

  it('are without personal data unless they are chosen', () => {
    expect(USUAL_COLUMNS.filter(isPersonal)).to.deep.equal([])
    expect(COLUMN_NAMES.filter(isPersonal)).to.have.members([
      'account_name',
      'counterpart_account',
      'description',
      'raw_data',
      'balance_after',
    ])
  })

  it('show an amount once: as money in or as money out, and not for a copy of another notification', () => {
    const values = valuesOf(['money_in', 'money_out', 'amount'])
    expect(values(row({}))).to.deep.equal(['150000.00', null, '150000.00'])
    expect(values(row({ transaction_type: 'debit' }))).to.deep.equal([null, '150000.00', '150000.00'])
    expect(values(row({ already_run_of: 7 }))).to.deep.equal([null, null, '150000.00'])
  })

  it('have headings in two languages, and their names for programs', () => {
    expect((['vi', 'en', null] as const).map((language) => headingOf('money_in', language))).to.deep.equal([
      'Tiền vào',
      'Money in',
      'money_in',
    ])
    for (const language of ['vi', 'en'] as const)
      expect(new Set(COLUMN_NAMES.map((name) => headingOf(name, language))).size).to.equal(COLUMN_NAMES.length)
  })
})
