// Tests: tests/e2e/browser/dashboard.test.ts
/** All webhooks with their health. */
import type { Rule, RuleStats } from '../api/types.ts'
import { count, milliseconds } from '../app/localised.ts'
import { texts } from '../app/language.ts'
import { failuresOf, percent, ruleState } from '../app/rule-state.ts'
import { Empty, Heading, Stranger } from '../ui/basics.tsx'
import { FailedRead, Loaded } from '../ui/loaded.tsx'
import { HourBars } from '../ui/hour-bars.tsx'
import { RuleStateMark, useRules, useRuleStats } from '../ui/rules.tsx'

const Row = ({ of, stats }: { of: Rule; stats: RuleStats | undefined }) => {
  const { webhooks: t } = texts.value
  const p95 = stats && stats.p95_ms !== null ? milliseconds(stats.p95_ms) : ''
  return (
    <tr>
      <td>
        <a href={`/webhooks/${of.id}`}>
          <b>
            <Stranger text={of.name} />
          </b>
        </a>
      </td>
      <td class="right">
        <RuleStateMark of={ruleState(of, stats)} />
      </td>
      <td class="whole">
        <code>
          <Stranger text={of.url} />
        </code>
      </td>
      <td class="whole">
        {stats && (
          <div class="calls">
            <HourBars of={stats.hours} />
            <div>
              <span>
                {stats.attempts === 0
                  ? t.noCalls
                  : t.calls(
                      count(stats.attempts),
                      count(failuresOf(stats)),
                      percent(stats.success_rate),
                      stats.attempts === 1,
                    )}
              </span>
              {p95 && (
                <div class="narrow-only">
                  {t.columns.p95}: {p95}
                </div>
              )}
            </div>
          </div>
        )}
      </td>
      <td class="amount wide-only">{p95}</td>
    </tr>
  )
}

export const Webhooks = () => {
  const { webhooks: t } = texts.value
  const rules = useRules()
  const stats = useRuleStats()
  return (
    <>
      <Heading title={t.title}>
        <a class="button main" href="/webhooks/new">
          {t.add}
        </a>
      </Heading>
      <FailedRead of={stats} />
      <Loaded of={rules}>
        {(all) =>
          all.length === 0 ? (
            <Empty text={t.empty} />
          ) : (
            <table class="ledger">
              <caption class="muted">{t.caption(count(all.length), all.length === 1)}</caption>
              <thead>
                <tr>
                  <th scope="col">{t.columns.name}</th>
                  <th scope="col">{t.columns.state}</th>
                  <th scope="col">{t.columns.url}</th>
                  <th scope="col">{t.columns.calls}</th>
                  <th scope="col" class="amount">
                    {t.columns.p95}
                  </th>
                </tr>
              </thead>
              <tbody>
                {all.map((rule) => (
                  <Row key={rule.id} of={rule} stats={stats.data?.find(({ id }) => id === rule.id)} />
                ))}
              </tbody>
            </table>
          )
        }
      </Loaded>
    </>
  )
}
