// Tests: tests/e2e/browser/undelivered.test.ts
/**
 * Transactions that have not reached the shop, by webhook and class of error, with a button to send them again. The filter is the address.
 */
import { useLocation } from 'preact-iso/router'
import { queryText } from '../api/client.ts'
import type { Rule, UndeliveredGroup } from '../api/types.ts'
import { count } from '../app/localised.ts'
import { texts } from '../app/language.ts'
import { now } from '../app/present.ts'
import { useAccount } from '../app/session.ts'
import { idIn, PATHS } from '../paths.ts'
import { codeOf, explain } from '../ui/attempts.tsx'
import { Ago, Empty, Heading, Status, Stranger, When } from '../ui/basics.tsx'
import { Loaded } from '../ui/loaded.tsx'
import {
  BankFilter,
  ChosenFilter,
  filterIn,
  Filters,
  WebhookFilter,
  WrittenFilter,
  type FilterOf,
} from '../ui/filters.tsx'
import { JobProgress, RetryMany, type RetriedStatus, type RetryFilter } from '../ui/retry-many.tsx'
import { hindrance, useRules } from '../ui/rules.tsx'
import { Tabs } from '../ui/tabs.tsx'
import { useUndelivered } from '../ui/undelivered.ts'

const NAMES = ['status', 'rule_id', 'error', 'bank_code', 'date_from', 'date_to'] as const
type Filter = FilterOf<typeof NAMES>

const PATH = '/undelivered'
const VIEWS = ['all', 'failed', 'pending', 'success'] as const
const ERRORS = ['timeout', 'refused', 'dns', 'tls', 'redirect', 'http_401', 'http_404', 'http_500', 'http_503']

/** As a bulk retry takes it. */
const retryFilter = ({ rule_id, ...rest }: Filter, status: RetriedStatus): RetryFilter => ({
  ...rest,
  status,
  ...(rule_id ? { rule_id: Number(rule_id) } : {}),
})

/** Rules are called side by side, the groups of one rule one after the other. */
const secondsOf = (groups: readonly UndeliveredGroup[]): number | null => {
  const byRule = new Map<number, number>()
  for (const { rule_id, estimated_seconds } of groups)
    if (estimated_seconds !== null) byRule.set(rule_id, (byRule.get(rule_id) ?? 0) + estimated_seconds)
  return byRule.size === 0 ? null : Math.max(...byRule.values())
}

const errorName = (error: string): string => {
  const code = codeOf(error)
  return explain(error)[0] + (code && ` (${code})`)
}

const FilterForm = ({ filter, errors }: { filter: Filter; errors: readonly string[] }) => {
  const { route } = useLocation()
  const { undelivered: t, transactions } = texts.value
  const field = (name: keyof Filter) => ({
    value: filter[name],
    change: (value: string) => route(PATH + queryText({ ...filter, [name]: value }), true),
  })
  const { status, ...others } = filter
  return (
    <Filters
      active={Object.keys(others).length}
      isNeeded={status === 'success' && !filter.date_from}
      clear={Object.keys(others).length > 0 ? PATH + queryText({ status }) : null}
    >
      <WebhookFilter {...field('rule_id')} />
      {status !== 'success' && (
        <ChosenFilter
          {...field('error')}
          label={t.error}
          options={errors.map((each) => [each, errorName(each)] as const)}
        />
      )}
      <div class={status === 'success' ? undefined : 'bank'}>
        <BankFilter {...field('bank_code')} />
      </div>
      <WrittenFilter {...field('date_from')} label={transactions.from} type="date" />
      <WrittenFilter {...field('date_to')} label={transactions.to} type="date" />
    </Filters>
  )
}

interface GroupProps {
  of: UndeliveredGroup
  filter: Filter
  rule: Rule | undefined
  started: (job: number) => void
}

const Group = ({ of, filter, rule, started }: GroupProps) => {
  const t = texts.value.undelivered
  const [what, fix] = of.error === null ? t.untried : explain(of.error)
  const code = of.error === null ? '' : codeOf(of.error)
  const hindered = rule && hindrance(rule, of.status)
  // A delivery that is already due waits for something else.
  const next = !hindered && of.next_attempt_at && Date.parse(of.next_attempt_at) > now() ? of.next_attempt_at : null
  const name = `${rule?.name ?? ''}, ${what}`
  const isFailed = of.status === 'failed'
  const status = isFailed ? 'failed' : of.error === null ? 'pending' : 'retrying'
  const mayWaitForQuota = useAccount().data?.usage.limit != null && of.error === null
  const list = { webhook_status: of.status, rule_id: of.rule_id }
  return (
    <li class="row between">
      <div class="stack tight facts">
        <div class="row">
          <Status of={status} />
          <b>{t.count(count(of.count), of.count === 1)}</b>
        </div>
        <p>
          {what}
          {code && <span class="muted"> ({code})</span>}. {fix}{' '}
          {mayWaitForQuota && <a href={PATHS.plan}>{texts.value.common.plans}</a>}
        </p>
        {hindered && <p class="notice waiting">{hindered}</p>}
        <p class="muted">
          {t.oldest}:{' '}
          <a href={`/transactions/${of.oldest_transaction_id}`}>
            <Ago at={of.oldest_at} />
          </a>
          {next !== null && (
            <>
              {' · '}
              {t.next}: <When at={next} />
            </>
          )}
        </p>
      </div>
      <div class="row">
        {rule && (
          <RetryMany
            button={isFailed ? t.again : t.now}
            label={isFailed ? t.againOf(name) : t.nowOf(name)}
            filter={{
              ...retryFilter(filter, of.status),
              rule_id: of.rule_id,
              ...(of.error === null ? {} : { error: of.error }),
            }}
            seconds={of.estimated_seconds}
            started={started}
          />
        )}
        <a
          class="button plain"
          href={`/transactions${queryText(list)}`}
          aria-label={t.seeOf(`${name}, ${texts.value.common.status[status]}`)}
        >
          {t.see}
        </a>
      </div>
    </li>
  )
}

/** The groups of one rule; the rule with the oldest transaction is first. */
const OfRule = ({ groups, rule, ...rest }: { groups: readonly UndeliveredGroup[] } & Omit<GroupProps, 'of'>) => {
  const t = texts.value.undelivered
  const { rule_id, rule_name } = groups[0]!
  return (
    <section class="block">
      <h2>
        {rule_name === null ? (
          t.deleted(rule_id)
        ) : (
          <a href={`/webhooks/${rule_id}`}>
            <Stranger text={rule_name} />
          </a>
        )}
      </h2>
      {rule_name === null && <p>{t.deletedText}</p>}
      <ul class="lines">
        {groups.map((each) => (
          <Group key={`${each.status} ${each.error}`} of={each} rule={rule} {...rest} />
        ))}
      </ul>
    </section>
  )
}

/** Everything that the filter selects, with one button. */
const Everything = ({
  filter,
  groups,
  started,
}: {
  filter: Filter
  groups: readonly UndeliveredGroup[]
  started: (job: number) => void
}) => {
  const t = texts.value.undelivered
  const status = filter.status as RetriedStatus
  const isOpen = status === 'success' && !filter.date_from
  return (
    <div class="stack tight">
      {status === 'success' && <p>{t.success.text}</p>}
      {isOpen ? (
        <p class="notice">{t.success.choose}</p>
      ) : (
        <div>
          <RetryMany
            button={t.everything[status]}
            filter={retryFilter(filter, status)}
            seconds={status === 'success' ? null : secondsOf(groups)}
            isMain
            started={started}
          />
        </div>
      )}
    </div>
  )
}

const byRule = (groups: readonly UndeliveredGroup[]): UndeliveredGroup[][] => [
  ...groups
    .reduce(
      (all, each) => all.set(each.rule_id, [...(all.get(each.rule_id) ?? []), each]),
      new Map<number, UndeliveredGroup[]>(),
    )
    .values(),
]

export const Undelivered = () => {
  const { query, route } = useLocation()
  const { undelivered: t } = texts.value
  const filter = filterIn(query, NAMES)
  const found = useUndelivered(filter)
  const rules = useRules().data ?? []
  const job = idIn(query.job)
  const started = (id: number): void => route(PATH + queryText({ ...filter, job: id }), true)
  const isFiltered = Object.keys(filter).length > 0
  const groups = filter.status === 'success' ? [] : (found.data?.groups ?? [])
  const errors = [
    ...new Set([...(filter.error ? [filter.error] : []), ...groups.flatMap(({ error }) => error ?? []), ...ERRORS]),
  ]
  const ruleOf = (id: number) => rules.find((each) => each.id === id)
  return (
    <>
      <Heading title={t.title} />
      <div class="stack">
        <p>{t.lead}</p>
        <Tabs
          label={t.views}
          of={VIEWS.map((each) => {
            const rest = each === 'success' ? { ...filter, error: '' } : filter
            return {
              text: t.view[each],
              href: PATH + queryText({ ...rest, status: each === 'all' ? '' : each }),
              isCurrent: each === (filter.status ?? 'all'),
            }
          })}
        />
        <FilterForm filter={filter} errors={errors} />
        {job !== null && <JobProgress id={job} hide={() => route(PATH + queryText(filter), true)} />}
        {job === null && (filter.status === 'success' || (filter.status && groups.length > 0)) && (
          <Everything filter={filter} groups={groups} started={started} />
        )}
        {filter.status !== 'success' && (
          <Loaded of={found}>
            {({ complete }) =>
              groups.length === 0 ? (
                <Empty text={isFiltered ? t.emptyFilter : t.calm}>
                  {!isFiltered && (
                    <a class="button" href={`${PATHS.transactions}?webhook_status=no_match`}>
                      {texts.value.today.see.unmatched}
                    </a>
                  )}
                </Empty>
              ) : (
                <div class="stack wide">
                  {!complete && <p class="notice waiting">{t.incomplete}</p>}
                  {byRule(groups).map((each) => (
                    <OfRule
                      key={each[0]!.rule_id}
                      groups={each}
                      filter={filter}
                      rule={ruleOf(each[0]!.rule_id)}
                      started={started}
                    />
                  ))}
                </div>
              )
            }
          </Loaded>
        )}
      </div>
    </>
  )
}
