// Tests: tests/e2e/browser/dashboard.test.ts
/** The list of transactions. Its filter is the address, so it can be bookmarked and sent to somebody. */
import { useLocation } from 'preact-iso/router'
import { queryText } from '../api/client.ts'
import { language, texts } from '../app/language.ts'
import { queries } from '../app/session.ts'
import { Heading } from '../ui/basics.tsx'
import {
  BankFilter,
  ChosenFilter,
  filterIn,
  Filters,
  WebhookFilter,
  WrittenFilter,
  type FilterOf,
} from '../ui/filters.tsx'
import { Tabs } from '../ui/tabs.tsx'
import { pageOf, TransactionList, useFirstPage } from '../ui/transaction-list.tsx'

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
type Filter = FilterOf<typeof NAMES>

const FORMATS = ['xlsx', 'csv'] as const

const fileOf = (filter: Filter, format: (typeof FORMATS)[number]): string =>
  `/api/transactions/export${queryText({ ...filter, format, language: language.value })}`

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
    <Tabs
      label={views}
      of={all.map(([text, preset]) => ({
        text,
        href: `/transactions${queryText(preset)}`,
        isCurrent: queryText(preset) === queryText(filter),
      }))}
    />
  )
}

const FilterForm = ({ filter }: { filter: Filter }) => {
  const { route } = useLocation()
  const {
    transactions: t,
    transaction: { facts },
    common,
  } = texts.value
  const field = (name: keyof Filter) => ({
    value: filter[name],
    change: (value: string) => route(`/transactions${queryText({ ...filter, [name]: value })}`, true),
  })
  return (
    <Filters
      search={<WrittenFilter {...field('search')} label={t.search} type="search" />}
      active={Object.keys(filter).filter((name) => name !== 'search').length}
      clear={Object.keys(filter).length > 0 ? '/transactions' : null}
    >
      <ChosenFilter
        {...field('webhook_status')}
        label={t.status}
        options={STATUSES.map((each) => [each, common.status[each]] as const)}
      />
      <ChosenFilter {...field('type')} label={t.direction} options={Object.entries(common.direction)} />
      <WebhookFilter {...field('rule_id')} />
      <BankFilter {...field('bank_code')} />
      <WrittenFilter {...field('date_from')} label={t.from} type="date" />
      <WrittenFilter {...field('date_to')} label={t.to} type="date" />
      {/* Only a link or a bookmark sets these. */}
      {filter.order_id && <WrittenFilter {...field('order_id')} label={facts.order} />}
      {filter.account_number && <WrittenFilter {...field('account_number')} label={facts.account} />}
      {filter.source_type && (
        <ChosenFilter {...field('source_type')} label={facts.source} options={Object.entries(common.source)} />
      )}
    </Filters>
  )
}

/** Asks before the screen is drawn. @param search  of the address, such as `?type=credit` */
export const ahead = (search: string): void => {
  const filter = filterIn(Object.fromEntries(new URLSearchParams(search)), NAMES)
  void queries.prefetchQuery(pageOf(filter, ''))
}

export const Transactions = () => {
  const { query } = useLocation()
  const { transactions: t } = texts.value
  const filter = filterIn(query, NAMES)
  const first = useFirstPage(filter)
  return (
    <>
      <Heading title={t.title}>
        {!!first?.data.length &&
          FORMATS.map((format) => (
            <a key={format} class="button" href={fileOf(filter, format)} download={`baoco-transactions.${format}`}>
              {t.download[format]}
            </a>
          ))}
      </Heading>
      <Presets filter={filter} />
      <FilterForm filter={filter} />
      <TransactionList key={queryText(filter)} filter={filter} />
    </>
  )
}
