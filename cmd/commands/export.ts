// Tests: tests/integration/looking-commands.test.ts
/** `baoco export`: prints a user's transactions, for a spreadsheet or another program. */
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { InvalidArgumentError, Option, type Command } from 'commander'
import { COLUMN_NAMES, fieldsOf, type ColumnName } from '../../adapters/export/columns.ts'
import { exportFile, FORMATS } from '../../adapters/export/transactions.ts'
import { daysOfMonth } from '../../domain/time.ts'
import { EXPORTED, exportedTransactions } from '../../projections/transaction/export-queries.ts'
import { isOfOutput } from '../command-parts/lost-output.ts'
import { knownAccount } from '../command-parts/with-accounts.ts'
import { withLists } from '../command-parts/with-lists.ts'
import { withStore } from '../command-parts/with-store.ts'

const isColumn = (name: string): name is ColumnName => (COLUMN_NAMES as string[]).includes(name)

const columnList = (text: string): ColumnName[] => {
  const names = text.split(',')
  if (!names.every(isColumn)) throw new InvalidArgumentError(`columns are: ${COLUMN_NAMES.join(', ')}`)
  return names
}

const daysOf = (month: string) => {
  const days = daysOfMonth(month)
  if (!days) throw new InvalidArgumentError('expected a month such as 2026-11')
  return days
}

interface Given {
  user: string
  format: (typeof FORMATS)[number] | 'jsonl'
  month?: ReturnType<typeof daysOf>
  columns?: ColumnName[]
  language?: 'vi' | 'en'
}

export const exportCommand = (program: Command): void => {
  program
    .command('export')
    .description("print a user's transactions by day, including personal data")
    .requiredOption('--user <email>', 'email of the account')
    .addOption(
      new Option('--format <format>', 'jsonl: all fields, times in UTC')
        .choices([...FORMATS, 'jsonl'])
        .makeOptionMandatory(),
    )
    .addOption(new Option('--month <month>', 'only this month in Vietnam, such as 2026-11').argParser(daysOf))
    .addOption(new Option('--columns <names>', 'columns of csv and xlsx, separated by commas').argParser(columnList))
    .addOption(new Option('--language <language>', 'language of the headings').choices(['vi', 'en']))
    .action(({ user, format, month, columns = [...EXPORTED], language }: Given) =>
      withStore(async (around) => {
        const { store, database } = around
        const userId = await knownAccount(store, user)
        const fields = format === 'jsonl' ? EXPORTED : fieldsOf(columns)
        const pages = exportedTransactions(database, userId, fields, month)
        const lines = async function* () {
          for await (const page of pages) yield page.map((row) => `${JSON.stringify(row)}\n`).join('')
        }
        const file = () =>
          format === 'jsonl'
            ? Readable.from(lines())
            : exportFile(pages, { format, columns, language: language ?? null })
        await withLists(around, () =>
          pipeline(file(), process.stdout, { end: false }).catch((error: NodeJS.ErrnoException) => {
            // The reader has closed the pipe.
            if (error.code !== 'EPIPE' || !isOfOutput(error)) throw error
          }),
        )
      }),
    )
}
