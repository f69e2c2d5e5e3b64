// Tests: tests/e2e/browser/dashboard.test.ts
/** The list of transactions. Its filter is the address, so it can be bookmarked and sent to somebody. */
import { useLocation } from 'preact-iso/router'
import { queryText } from '../api/client.ts'
import { texts } from '../app/language.ts'
import { Field, Heading } from '../ui/basics.tsx'
import { TransactionList } from '../ui/transaction-list.tsx'

const NAMES = [
  'search',
  'webhook_status',
  'type',
  'source_type',
  'bank_code',
  'date_from',
  'date_to',
  'order_id',
  'rule_id',
  'account_number',
] as const
type Filter = Partial<Record<(typeof NAMES)[number], string>>

const filterOf = (query: Record<string, string>): Filter =>
  Object.fromEntries(NAMES.flatMap((name) => (query[name] ? [[name, query[name]]] : [])))

const STATUSES = ['success', 'pending', 'failed', 'no_match', 'skipped', 'already_run', 'plan_upgraded'] as const

const Presets = ({ filter }: { filter: Filter }) => {
  const { presets, views } = texts.value.transactions
  const all: [string, Filter][] = [
    [presets.all, {}],
    [presets.money, { type: 'credit' }],
    [presets.failed, { webhook_status: 'failed' }],
    [presets.pending, { webhook_status: 'pending' }],
    [presets.noMatch, { webhook_status: 'no_match' }],
  ]
  return (
    <nav class="tabs" aria-label={views}>
      {all.map(([label, preset]) => (
        <a
          key={label}
          href={`/transactions${queryText(preset)}`}
          aria-current={queryText(preset) === queryText(filter) ? 'true' : undefined}
        >
          {label}
        </a>
      ))}
    </nav>
  )
}

const Filters = ({ filter }: { filter: Filter }) => {
  const { route } = useLocation()
  const { transactions: t, common } = texts.value
  const change = (name: keyof Filter, value: string): void =>
    route(`/transactions${queryText({ ...filter, [name]: value.trim() })}`, true)
  const choose = (name: keyof Filter, label: string, options: readonly (readonly [string, string])[]) => (
    <Field label={label}>
      {(attributes) => (
        <select
          {...attributes}
          value={filter[name] ?? ''}
          onChange={(event) => change(name, event.currentTarget.value)}
        >
          <option value="">{t.any}</option>
          {options.map(([value, text]) => (
            <option key={value} value={value}>
              {text}
            </option>
          ))}
        </select>
      )}
    </Field>
  )
  const write = (name: keyof Filter, label: string, type = 'text') => (
    <Field label={label}>
      {(attributes) => (
        <input
          {...attributes}
          type={type}
          value={filter[name] ?? ''}
          onChange={(event) => change(name, event.currentTarget.value)}
        />
      )}
    </Field>
  )
  return (
    <form class="filters" role="search" onSubmit={(event) => event.preventDefault()}>
      <div class="search">{write('search', t.search, 'search')}</div>
      {choose(
        'webhook_status',
        t.status,
        STATUSES.map((each) => [each, common.status[each]]),
      )}
      {choose('type', t.direction, [
        ['credit', common.direction.credit],
        ['debit', common.direction.debit],
      ])}
      {write('bank_code', t.bank)}
      {write('date_from', t.from, 'date')}
      {write('date_to', t.to, 'date')}
      {Object.keys(filter).length > 0 && (
        <a class="button plain" href="/transactions">
          {t.clear}
        </a>
      )}
    </form>
  )
}

export const Transactions = () => {
  const { query } = useLocation()
  const { transactions: t } = texts.value
  const filter = filterOf(query)
  return (
    <>
      <Heading title={t.title} />
      <Presets filter={filter} />
      <Filters filter={filter} />
      <TransactionList key={queryText(filter)} filter={filter} />
    </>
  )
}
