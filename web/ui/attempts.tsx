// Tests: tests/e2e/browser/dashboard.test.ts
/** The attempts of a delivery: what was sent, what came back, and what an error means. */
import type { Delivery, Rule } from '../api/types.ts'
import { attemptState } from '../app/attempt-state.ts'
import { curlOf } from '../app/curl.ts'
import { errorCode, errorText } from '../app/error-text.ts'
import { milliseconds } from '../app/localised.ts'
import { texts } from '../app/language.ts'
import { translated } from '../app/problem.ts'
import { Copy, Status, Stranger, When } from './basics.tsx'
import { useRules } from './rules.tsx'

/** The error's name and what to do about it. */
export const explain = (error: string | null) => errorText(texts.value.transaction.errors, error)

/** Its code, where that says more than its name. */
export const codeOf = (error: string) => errorCode(texts.value.transaction.errors, error)

/** Without a response, Baoco says what failed. */
export const answerOf = ({ http_status, response_body }: Pick<Delivery, 'http_status' | 'response_body'>): string =>
  http_status === 0 ? translated(response_body) : response_body

interface AttemptProps {
  of: Delivery
  /** Of the same webhook; undefined if it was deleted, because nothing is repeated then. */
  newest: Delivery | undefined
  /** That made it; undefined if it was deleted. */
  rule: Rule | undefined
}

const Attempt = ({ of, newest, rule }: AttemptProps) => {
  const t = texts.value.transaction
  const { request } = of
  const [what, fix] = explain(of.error)
  const state = attemptState(of, newest)
  return (
    <section class="attempt stack tight">
      <div class="row between">
        <h3>
          {t.attempt(of.attempt)}
          {rule && (
            <>
              {' · '}
              <a href={`/webhooks/${rule.id}`}>
                <Stranger text={rule.name} />
              </a>
            </>
          )}
        </h3>
        <Status of={state} />
      </div>
      <p class="muted">
        <When at={of.sent_at} /> · {of.http_status === 0 ? '' : `HTTP ${of.http_status} · `}
        {t.took} {milliseconds(of.duration_ms)}
        {state === 'retrying' && of.next_attempt_at && (
          <>
            {' · '}
            {t.next} <When at={of.next_attempt_at} />
          </>
        )}
      </p>
      <code>
        <Stranger text={of.webhook_url} />
      </code>
      {of.error && (
        <div class="notice failed">
          <p>{what}.</p>
          <p>{fix}</p>
        </div>
      )}
      <details>
        <summary>{t.response}</summary>
        {/* A scrolling box must be reachable by the keyboard. */}
        <pre tabIndex={0}>{of.response_body ? <Stranger text={answerOf(of)} /> : t.emptyResponse}</pre>
      </details>
      {request && (
        <details>
          <summary>{t.request}</summary>
          <pre tabIndex={0}>
            <Stranger text={`${request.method} ${request.url}\n`} />
            {Object.entries(request.headers).map(([name, value]) => `${name}: ${value}\n`)}
            {request.body === null ? `\n${t.bodyHidden}` : <Stranger text={`\n${request.body}`} />}
          </pre>
          <div class="row">
            <Copy text={JSON.stringify(request, null, 2)} label={t.copyJson} />
            <Copy text={curlOf(request)} label={t.copyCurl} />
          </div>
        </details>
      )}
    </section>
  )
}

export const Attempts = ({ of }: { of: readonly Delivery[] }) => {
  const rules = useRules().data
  const sorted = [...of].sort((a, b) => b.sent_at.localeCompare(a.sent_at))
  return (
    <div>
      {sorted.map((each) => {
        const rule = rules?.find(({ id }) => id === each.webhook_rule_id)
        const newest = sorted.find(({ webhook_rule_id }) => webhook_rule_id === each.webhook_rule_id)
        return <Attempt key={each.id} of={each} newest={rules && !rule ? undefined : newest} rule={rule} />
      })}
    </div>
  )
}
