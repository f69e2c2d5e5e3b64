// Tests: tests/e2e/browser/dashboard.test.ts
/** The secret of a rule: shown on request, and replaced without losing a call. */
import { useState } from 'preact/hooks'
import { type Done, post } from '../api/client.ts'
import type { Rule } from '../api/types.ts'
import { announce } from '../app/announce.ts'
import { moment } from '../app/localised.ts'
import { texts } from '../app/language.ts'
import { useAction } from './action.ts'
import { ActionProblem, Copyable } from './basics.tsx'
import { Confirm } from './confirm.tsx'

export const RuleSecret = ({ of }: { of: Rule }) => {
  const t = texts.value.webhook.secret
  const [isShown, show] = useState(false)
  const rotate = (json?: { finish: true }): Promise<Done> => post(`/api/webhooks/${of.id}/secret/rotate`, json)
  const finish = useAction(() => rotate({ finish: true }), ['webhooks'])
  return (
    <section class="block stack tight">
      <h2>{t.title}</h2>
      <p>{t.text}</p>
      {isShown && (of.secret_key === null ? <p>{t.none}</p> : <Copyable text={of.secret_key} />)}
      {of.previous_until && <p>{t.until(moment(of.previous_until))}</p>}
      <ActionProblem error={finish.error} />
      <div class="row">
        {!isShown && (
          <button class="button" type="button" onClick={() => show(true)}>
            {t.show}
          </button>
        )}
        {of.previous_until ? (
          <button
            class="button"
            type="button"
            disabled={finish.isRunning}
            onClick={() => void finish.run().then((done) => done && announce(t.finished))}
          >
            {t.finish}
          </button>
        ) : (
          <Confirm
            button={t.rotate}
            title={t.rotateTitle}
            text={t.rotateText}
            act={() => rotate()}
            stale={['webhooks']}
            done={t.rotated}
            isDangerous={false}
          />
        )}
      </div>
    </section>
  )
}
