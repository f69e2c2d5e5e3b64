// Tests: tests/e2e/browser/dashboard.test.ts
/** The list of transactions. Its filter is the address, so it can be bookmarked and sent to somebody. */
import { useLocation } from 'preact-iso/router'
import { keepPreviousData, useInfiniteQuery } from '@tanstack/preact-query'
import { get, queryText } from '../api/client.ts'
import type { Page, ListedTransaction } from '../api/types.ts'
import { count } from '../app/format.ts'
import { language, texts } from '../app/language.ts'
import { Empty, Heading, Loading, Problem } from '../ui/basics.tsx'
import { ChosenFilter, WrittenFilter } from '../ui/filters.tsx'
import { useStillRows } from '../ui/new-rows.ts'
import { TransactionTable } from '../ui/transaction-table.tsx'

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

const csvOf = (filter: Filter): string =>
  `/api/transactions/export${queryText({ ...filter, format: 'csv', language: language.value })}`

const STATUSES = ['success', 'pending', 'failed', 'no_match', 'skipped', 'already_run', 'plan_upgraded'] as const

const useTransactions = (filter: Filter) =>
  useInfiniteQuery({
    queryKey: ['transactions', filter],
    queryFn: ({ pageParam, signal }) =>
      get<Page<ListedTransaction>>('/api/transactions', { ...filter, cursor: pageParam }, signal),
    initialPageParam: '',
    getNextPageParam: ({ next_cursor }) => next_cursor ?? undefined,
    placeholderData: keepPreviousData,
  })

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
  const field = (name: keyof Filter) => ({
    value: filter[name],
    change: (value: string) => route(`/transactions${queryText({ ...filter, [name]: value })}`, true),
  })
  return (
    <form class="filters" role="search" onSubmit={(event) => event.preventDefault()}>
      <div class="search">
        <WrittenFilter {...field('search')} label={t.search} type="search" />
      </div>
      <ChosenFilter
        {...field('webhook_status')}
        label={t.status}
        options={STATUSES.map((each) => [each, common.status[each]] as const)}
      />
      <ChosenFilter {...field('type')} label={t.direction} options={Object.entries(common.direction)} />
      <WrittenFilter {...field('bank_code')} label={t.bank} />
      <WrittenFilter {...field('date_from')} label={t.from} type="date" />
      <WrittenFilter {...field('date_to')} label={t.to} type="date" />
      {Object.keys(filter).length > 0 && (
        <a class="button plain" href="/transactions">
          {t.clear}
        </a>
      )}
    </form>
  )
}

/** The button disappears, so the focus goes to the heading. */
const showNewest = (): void => {
  scrollTo({ top: 0 })
  document.querySelector<HTMLElement>('h1')?.focus()
}

export const Transactions = () => {
  const { query } = useLocation()
  const { transactions: t } = texts.value
  const filter = filterOf(query)
  const found = useTransactions(filter)
  const rows = found.data?.pages.flatMap(({ data }) => data) ?? []
  const { shown, held } = useStillRows(rows, queryText(filter))
  return (
    <>
      <Heading title={t.title}>
        {rows.length > 0 && (
          <a class="button" href={csvOf(filter)} download="baoco-transactions.csv">
            {t.csv}
          </a>
        )}
      </Heading>
      <Presets filter={filter} />
      <Filters filter={filter} />
      {found.error && <Problem error={found.error} retry={found.refetch} />}
      {found.isPending && !found.error && <Loading />}
      {found.data && rows.length === 0 && <Empty text={Object.keys(filter).length > 0 ? t.emptyFilter : t.empty} />}
      <div class="pill" role="status">
        {held > 0 && (
          <button class="button main" type="button" onClick={showNewest}>
            ↑ {t.newest(count(held, language.value), held === 1)}
          </button>
        )}
      </div>
      {rows.length > 0 && (
        <TransactionTable rows={shown} caption={t.caption(count(found.data!.pages[0]!.total, language.value))} />
      )}
      {found.hasNextPage && (
        <p class="row">
          <button
            class="button"
            type="button"
            disabled={found.isFetchingNextPage}
            onClick={() => void found.fetchNextPage()}
          >
            {t.more}
          </button>
        </p>
      )}
    </>
  )
}
