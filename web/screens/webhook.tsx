// Tests: tests/e2e/browser/dashboard.test.ts
/** One webhook: its health, a test call, how to receive its calls, its secret, and its recent attempts. */
import { useLocation, useRoute } from 'preact-iso/router'
import { useInfiniteQuery } from '@tanstack/preact-query'
import { get, putData, remove } from '../api/client.ts'
import type { Log, Page as PageOf, Rule, RuleStats } from '../api/types.ts'
import { announce } from '../app/announce.ts'
import { attemptState } from '../app/attempt-state.ts'
import { count, milliseconds, money, moment } from '../app/localised.ts'
import { texts } from '../app/language.ts'
import { nextPage } from '../app/next-page.ts'
import { failuresOf, ruleState } from '../app/rule-state.ts'
import { idIn } from '../paths.ts'
import { useAction } from '../ui/action.ts'
import { answerOf, explain } from '../ui/attempts.tsx'
import { ActionProblem, Copyable, Heading, Status, Stranger, When } from '../ui/basics.tsx'
import { FailedRead, Loaded } from '../ui/loaded.tsx'
import { Confirm } from '../ui/confirm.tsx'
import { HourBars } from '../ui/hour-bars.tsx'
import { Arrives, Verification } from '../ui/integrate.tsx'
import { More } from '../ui/more.tsx'
import { MovedInbox } from '../ui/moved-inbox.tsx'
import { Pairs } from '../ui/pairs.tsx'
import { RuleSecret } from '../ui/rule-secret.tsx'
import { RuleTest } from '../ui/rule-test.tsx'
import { RuleStateMark, useRules, useRuleStats } from '../ui/rules.tsx'
import { NotFound } from './not-found.tsx'

const Settings = ({ of }: { of: Rule }) => {
  const { webhook: t, common } = texts.value
  return (
    <Pairs
      rows={[
        [t.fact.method, of.http_method],
        [t.fact.system, of.system_name ? <Stranger text={of.system_name} /> : t.all],
        [t.fact.type, of.filter_type === 'both' ? t.both : common.direction[of.filter_type]],
        [t.fact.banks, of.filter_banks.join(', ') || t.all],
        [t.fact.min, of.min_amount === null ? t.anyAmount : money(`${of.min_amount}.00`, 'VND')],
        [t.fact.format, t.formats[of.payload_format]],
        [t.fact.limit, of.max_per_minute === null ? t.noLimit : count(of.max_per_minute)],
        [t.fact.ordered, of.ordered === 1 ? t.inOrder : t.anyOrder],
      ]}
    />
  )
}

const Health = ({ of, stats }: { of: Rule; stats: RuleStats | undefined }) => {
  const { webhook: t, webhooks } = texts.value
  const start = useAction(() => putData(`/api/webhooks/${of.id}`, { is_active: 1 }), ['webhooks'])
  const { health } = of
  return (
    <>
      {of.is_active === 0 && (
        <div class="notice waiting stack tight">
          <p>{t.paused}</p>
          <ActionProblem error={start.error} />
          <div>
            <button
              class="button main"
              type="button"
              disabled={start.isRunning}
              onClick={() => void start.run().then((done) => done && announce(t.started))}
            >
              {t.start}
            </button>
          </div>
        </div>
      )}
      {health?.breaker === 'open' && (
        <p class="notice failed">
          {t.open(count(health.failures_in_a_row), moment(health.open_since ?? of.created_at))}
        </p>
      )}
      {health?.not_before && <p class="notice waiting">{t.notBefore(moment(health.not_before))}</p>}
      {stats && (
        <div>
          <HourBars of={stats.hours} />
          <div class="row between muted ends" aria-hidden="true">
            <span>{webhooks.hoursAgo}</span>
            <span>{webhooks.now}</span>
          </div>
        </div>
      )}
      {stats && (
        <Pairs
          rows={[
            [t.healthOf.calls, count(stats.attempts)],
            [t.healthOf.failed, count(failuresOf(stats))],
            [t.healthOf.p95, stats.p95_ms === null ? '–' : milliseconds(stats.p95_ms)],
            ...(stats.last_error ? [[t.healthOf.last, explain(stats.last_error)[0]] as const] : []),
          ]}
        />
      )}
    </>
  )
}

const Logs = ({ id }: { id: number }) => {
  const t = texts.value.webhook.logs
  const logs = useInfiniteQuery({
    queryKey: ['logs', id],
    queryFn: ({ pageParam }) => get<PageOf<Log>>(`/api/webhooks/${id}/logs`, { cursor: pageParam }),
    initialPageParam: '',
    getNextPageParam: nextPage,
  })
  const rows = logs.data?.pages.flatMap(({ data }) => data) ?? []
  return (
    <section class="block stack tight">
      <div class="row between">
        <h2>{t.title}</h2>
        <a href={`/transactions?rule_id=${id}`}>{t.all}</a>
      </div>
      <Loaded of={logs}>
        {() =>
          rows.length === 0 ? (
            <p>{t.empty}</p>
          ) : (
            <ul class="lines">
              {rows.map((each) => (
                <li key={each.id} class="stack tight">
                  <div class="row between">
                    <a href={`/transactions/${each.transaction_id}`}>
                      {t.transaction} {each.transaction_id}
                    </a>
                    <Status
                      of={attemptState(
                        each,
                        rows.find(({ transaction_id }) => transaction_id === each.transaction_id),
                      )}
                    />
                  </div>
                  <div class="muted">
                    <When at={each.sent_at} /> · {t.attempt(each.attempt)} ·{' '}
                    {each.http_status === 0 ? explain(each.error)[0] : `HTTP ${each.http_status}`} ·{' '}
                    {milliseconds(each.duration_ms)}
                  </div>
                  {each.response_body && (
                    <details>
                      <summary>{t.answer}</summary>
                      <pre tabIndex={0}>
                        <Stranger text={answerOf(each)} />
                      </pre>
                    </details>
                  )}
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      <More of={logs} text={texts.value.common.more} />
    </section>
  )
}

const End = ({ of }: { of: Rule }) => {
  const t = texts.value.webhook
  const { route } = useLocation()
  return (
    <div class="row">
      {of.is_active === 1 && (
        <Confirm
          button={t.pause}
          title={t.pauseTitle}
          text={t.pauseText}
          act={() => putData(`/api/webhooks/${of.id}`, { is_active: 0 })}
          stale={['webhooks']}
          done={t.pausedNow}
          isDangerous={false}
        />
      )}
      <Confirm
        button={t.remove}
        title={t.removeTitle}
        text={t.removeText}
        act={() => remove(`/api/webhooks/${of.id}`)}
        after={() => route('/webhooks')}
        stale={['webhooks']}
        done={t.removed}
      />
    </div>
  )
}

const Page = ({ of }: { of: Rule }) => {
  const t = texts.value.webhook
  const read = useRuleStats()
  const stats = read.data?.find(({ id }) => id === of.id)
  return (
    <>
      <Heading title={of.name}>
        <RuleStateMark of={ruleState(of, stats)} />
        <a class="button" href={`/webhooks/${of.id}/edit`}>
          {t.edit}
        </a>
      </Heading>
      <div class="columns">
        <div class="stack wide">
          <div class="stack tight">
            <Copyable text={of.url} />
            <MovedInbox of={of} />
          </div>
          <RuleTest id={of.id} isCustom={of.payload_format === 'custom'} />
          <Verification of={of} />
          <Arrives of={of} />
        </div>
        <div class="stack wide">
          <section class="block stack tight">
            <h2>{t.health}</h2>
            <FailedRead of={read} />
            <Health of={of} stats={stats} />
          </section>
          <section class="block">
            <h2>{t.facts}</h2>
            <Settings of={of} />
          </section>
          <RuleSecret of={of} />
          <Logs id={of.id} />
          <End of={of} />
        </div>
      </div>
    </>
  )
}

export const WebhookPage = () => {
  const id = idIn(useRoute().params.id)
  const { webhook: t } = texts.value
  const rules = useRules()
  return (
    <>
      <p>
        <a href="/webhooks">← {t.back}</a>
      </p>
      {!rules.data && <Heading title={texts.value.common.webhook} />}
      <Loaded of={rules}>
        {(all) => {
          const rule = all.find((each) => each.id === id)
          return rule ? <Page key={id} of={rule} /> : <NotFound />
        }}
      </Loaded>
    </>
  )
}
