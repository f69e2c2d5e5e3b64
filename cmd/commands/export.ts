// Tests: tests/integration/looking-commands.test.ts
/** `baoco export`: prints a user's transactions, for a spreadsheet or another program. */
import { once } from 'node:events'
import { Option, type Command } from 'commander'
import {
  EXPORTED,
  exportedTransactions,
  type ExportedTransaction,
} from '../../projections/transaction/export-queries.ts'
import { accountOfEmail } from '../../workflows/accounts/registration.ts'
import { csvLine } from '../process/csv.ts'
import { withStore } from '../process/with-store.ts'

const FORMATS: Record<'csv' | 'jsonl', { head: string; line: (row: ExportedTransaction) => string }> = {
  csv: { head: csvLine(EXPORTED), line: (row) => csvLine(EXPORTED.map((name) => row[name])) },
  jsonl: { head: '', line: (row) => `${JSON.stringify(row)}\n` },
}

export const exportCommand = (program: Command): void => {
  program
    .command('export')
    .description("print a user's transactions, oldest first, including personal data")
    .requiredOption('--user <email>')
    .addOption(new Option('--format <format>').choices(Object.keys(FORMATS)).makeOptionMandatory())
    .action(({ user, format }: { user: string; format: keyof typeof FORMATS }) =>
      withStore(async ({ store, database }) => {
        const userId = await accountOfEmail(store, user)
        if (userId === null) throw new Error(`no such account: ${user}`)
        const { head, line } = FORMATS[format]
        process.stdout.write(head)
        for await (const page of exportedTransactions(database, userId))
          if (!process.stdout.write(page.map(line).join(''))) await once(process.stdout, 'drain')
      }),
    )
}
