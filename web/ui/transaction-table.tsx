// Tests: tests/e2e/browser/dashboard.test.ts
/** A table of transactions. The first cell of a row is the link to its transaction. */
import type { ComponentChildren } from 'preact'
import type { Transaction } from '../api/types.ts'
import { texts } from '../app/language.ts'
import { Amount, Status, Stranger, When } from './basics.tsx'

export const TransactionRow = ({ of }: { of: Transaction }) => (
  <tr>
    <td>
      <a href={`/transactions/${of.id}`}>
        <span class="order">{of.order_id ?? <span class="muted">{texts.value.transactions.noOrder}</span>}</span>
      </a>
    </td>
    <td class="amount">
      <Amount of={of} />
    </td>
    <td class="party">
      <span class="clamped">
        {of.counterpart_name ? <Stranger text={of.counterpart_name} /> : <span class="muted">{of.bank_code}</span>}
      </span>
    </td>
    <td class="wide-only">{of.bank_code}</td>
    <td class="right">
      <When at={of.created_at} />
    </td>
    <td>
      <Status of={of.webhook_status} />
    </td>
  </tr>
)

interface TableProps {
  caption?: string
  /** Number of rows of the whole list, if not all of them are drawn. */
  total?: number
  /** The bodies of the table. */
  children: ComponentChildren
}

export const TransactionColumns = ({ caption, total, children }: TableProps) => {
  const { columns } = texts.value.transactions
  return (
    <table class="ledger" aria-rowcount={total === undefined ? undefined : total + 1}>
      {caption && <caption class="muted">{caption}</caption>}
      <thead>
        <tr>
          <th scope="col">{columns.order}</th>
          <th scope="col" class="amount">
            {columns.amount}
          </th>
          <th scope="col" class="party">
            {columns.from}
          </th>
          <th scope="col">{columns.bank}</th>
          <th scope="col">{columns.when}</th>
          <th scope="col">{columns.status}</th>
        </tr>
      </thead>
      {children}
    </table>
  )
}

export const TransactionTable = ({ rows, caption }: { rows: readonly Transaction[]; caption?: string }) => (
  <TransactionColumns {...(caption && { caption })}>
    <tbody>
      {rows.map((row) => (
        <TransactionRow key={row.id} of={row} />
      ))}
    </tbody>
  </TransactionColumns>
)
