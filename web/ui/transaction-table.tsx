// Tests: tests/e2e/browser/dashboard.test.ts
/** A table of transactions. The first cell of a row is the link to its transaction. */
import type { DeliveryCounts, ListedTransaction } from '../api/types.ts'
import { count } from '../app/format.ts'
import { language, texts } from '../app/language.ts'
import { Amount, Status, Stranger, When } from './basics.tsx'

const STATES = ['success', 'failed', 'pending'] as const

/** Where the outcome differs from rule to rule: how many of each. */
const Mixed = ({ of }: { of: DeliveryCounts }) => {
  const { mixed } = texts.value.transactions
  const some = STATES.filter((state) => of[state] > 0)
  if (some.length < 2) return null
  return <div class="muted mixed">{some.map((state) => mixed[state](count(of[state], language.value))).join(', ')}</div>
}

const Row = ({ of }: { of: ListedTransaction }) => (
  <tr>
    <td>
      <a href={`/transactions/${of.id}`}>
        <span class="order">{of.order_id ?? <span class="muted">{texts.value.transactions.noOrder}</span>}</span>
      </a>
    </td>
    <td class="amount">
      <Amount of={of} />
    </td>
    <td>{of.counterpart_name ? <Stranger text={of.counterpart_name} /> : <span class="muted">{of.bank_code}</span>}</td>
    <td class="wide-only">{of.bank_code}</td>
    <td class="right">
      <When at={of.created_at} />
    </td>
    <td>
      <Status of={of.webhook_status} />
      <Mixed of={of.deliveries} />
    </td>
  </tr>
)

export const TransactionTable = ({ rows, caption }: { rows: readonly ListedTransaction[]; caption?: string }) => {
  const { columns } = texts.value.transactions
  return (
    <table class="ledger">
      {caption && <caption class="muted">{caption}</caption>}
      <thead>
        <tr>
          <th scope="col">{columns.order}</th>
          <th scope="col" class="amount">
            {columns.amount}
          </th>
          <th scope="col">{columns.from}</th>
          <th scope="col">{columns.bank}</th>
          <th scope="col">{columns.when}</th>
          <th scope="col">{columns.status}</th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <Row key={row.id} of={row} />
        ))}
      </tbody>
    </table>
  )
}
