// Tests: tests/e2e/browser/dashboard.test.ts
/** A table of transactions. The first cell of a row is the link to its transaction. */
import type { ComponentChildren } from 'preact'
import type { DeliveryCounts, ListedTransaction } from '../api/types.ts'
import { count } from '../app/localised.ts'
import { texts } from '../app/language.ts'
import { PATHS } from '../paths.ts'
import { Amount, Empty, Status, Stranger, When } from './basics.tsx'

const STATES = ['success', 'failed', 'pending', 'retrying'] as const

/** Where the outcome differs from rule to rule: how many of each. */
const Mixed = ({ of: { retrying = 0, pending, ...rest } }: { of: DeliveryCounts }) => {
  const { mixed } = texts.value.transactions
  const of = { ...rest, retrying, pending: pending - retrying }
  const some = STATES.filter((state) => of[state] > 0)
  if (some.length < 2) return null
  return <div class="muted mixed">{some.map((state) => mixed[state](count(of[state]))).join(', ')}</div>
}

export const TransactionRow = ({ of }: { of: ListedTransaction }) => (
  <tr>
    <td>
      <a href={`/transactions/${of.id}`}>
        <span class="order">{of.order_id ?? <span class="muted">{texts.value.transactions.noOrder}</span>}</span>
        {of.order_id === null && <span class="hidden-text">, {texts.value.transaction.title(of.id)}</span>}
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
      <Status of={of.webhook_status === 'pending' && of.deliveries.retrying ? 'retrying' : of.webhook_status} />
      <Mixed of={of.deliveries} />
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

export const TransactionTable = ({ rows }: { rows: readonly ListedTransaction[] }) => (
  <TransactionColumns>
    <tbody>
      {rows.map((row) => (
        <TransactionRow key={row.id} of={row} />
      ))}
    </tbody>
  </TransactionColumns>
)

/** How a newcomer gets the first one. */
export const NoTransactions = () => {
  const { transactions: t, today } = texts.value
  const { links } = today.checklist
  return (
    <Empty text={t.empty}>
      <a class="button" href={PATHS.sources}>
        {links.source}
      </a>
      <a class="button" href={PATHS.tryIt}>
        {links.text}
      </a>
    </Empty>
  )
}
