// Tests: tests/e2e/browser/dashboard.test.ts
/** A test call to a rule's address, with its whole answer. */
import { post } from '../api/client.ts'
import type { TestResult } from '../api/types.ts'
import { failureClass } from '../app/failure-class.ts'
import { milliseconds } from '../app/localised.ts'
import { useIntoView } from '../app/into-view.ts'
import { texts } from '../app/language.ts'
import { isWebPage } from '../app/web-page.ts'
import { translated } from '../app/problem.ts'
import { useAction } from './action.ts'
import { explain } from './attempts.tsx'
import { ActionProblem, Stranger } from './basics.tsx'

const Result = ({ of }: { of: TestResult }) => {
  const t = texts.value.webhook.test
  const ref = useIntoView<HTMLDivElement>()
  const isRedirect = of.http_code >= 300 && of.http_code < 400
  const noAnswer = failureClass(of.error ?? '')
  const [what, fix] = explain(of.http_code === 0 ? noAnswer : isRedirect ? 'redirect' : `http_${of.http_code}`)
  return (
    <>
      <div ref={ref} class={`notice ${of.success ? 'done' : 'failed'}`} role="status">
        <p>
          {of.success
            ? t.good(of.http_code, milliseconds(of.response_time_ms ?? 0))
            : of.http_code === 0
              ? noAnswer
                ? `${what}.`
                : t.none
              : t.bad(of.http_code)}
        </p>
        {!of.success &&
          (of.http_code === 0 ? (
            <>
              <p>
                <Stranger text={translated(of.error ?? '')} />
              </p>
              {noAnswer && <p>{fix}</p>}
            </>
          ) : (
            <p>
              {what}. {fix}
            </p>
          ))}
      </div>
      {of.success && isWebPage(of.response_body ?? '') && <p class="notice waiting">{t.page}</p>}
      {of.response_body !== undefined && (
        <>
          <h3>{t.answer}</h3>
          <pre tabIndex={0}>{of.response_body ? <Stranger text={of.response_body} /> : t.empty}</pre>
        </>
      )}
    </>
  )
}

export const RuleTest = ({ id, isCustom }: { id: number; isCustom: boolean }) => {
  const t = texts.value.webhook.test
  const test = useAction(
    (isSample: boolean) => post<TestResult>(`/api/webhooks/${id}/test${isSample ? '?sample=1' : ''}`),
    ['inbox'],
  )
  return (
    <section class="block stack tight">
      <div class="row between">
        <h2>{t.title}</h2>
        <div class="row">
          <button class="button main" type="button" disabled={test.isRunning} onClick={() => void test.run(false)}>
            {test.isRunning ? t.sending : t.send}
          </button>
          <button class="button" type="button" disabled={test.isRunning} onClick={() => void test.run(true)}>
            {t.sample}
          </button>
        </div>
      </div>
      <p>{t.text}</p>
      <p>{t.sampleText}</p>
      {isCustom && <p>{t.custom}</p>}
      <ActionProblem error={test.error} />
      {test.result && <Result of={test.result} />}
    </section>
  )
}
