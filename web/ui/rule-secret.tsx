// Tests: tests/e2e/browser/dashboard.test.ts
/** The secret of a rule: shown on request, and replaced without losing a call. */
import { useState } from 'preact/hooks'
import { post } from '../api/client.ts'
import type { Rule } from '../api/types.ts'
import { announce } from '../app/announce.ts'
import { moment } from '../app/format.ts'
import { language, texts } from '../app/language.ts'
import { useAction } from './action.ts'
import { Copyable, Dialog, Problem } from './basics.tsx'

export const RuleSecret = ({ of }: { of: Rule }) => {
  const t = texts.value.webhook.secret
  const [isShown, show] = useState(false)
  const [isAsking, ask] = useState(false)
  const rotate = useAction(
    (finish: boolean) => post(`/api/webhooks/${of.id}/secret/rotate`, finish ? { finish } : undefined),
    ['webhooks'],
  )
  const replace = async (): Promise<void> => {
    const done = await rotate.run(false)
    ask(false)
    if (done) announce(t.rotated)
  }
  return (
    <section class="block stack tight">
      <h2>{t.title}</h2>
      <p>{t.text}</p>
      {isShown && (of.secret_key === null ? <p>{t.none}</p> : <Copyable text={of.secret_key} />)}
      {of.previous_until && <p>{t.until(moment(of.previous_until, language.value))}</p>}
      {rotate.error ? <Problem error={rotate.error} /> : null}
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
            disabled={rotate.isRunning}
            onClick={() => void rotate.run(true).then((done) => done && announce(t.finished))}
          >
            {t.finish}
          </button>
        ) : (
          <button class="button" type="button" onClick={() => ask(true)}>
            {t.rotate}
          </button>
        )}
      </div>
      <Dialog title={t.rotateTitle} isOpen={isAsking} onClose={() => ask(false)}>
        <p>{t.rotateText}</p>
        <div class="row">
          <button class="button main" type="button" disabled={rotate.isRunning} onClick={() => void replace()}>
            {t.rotate}
          </button>
          <button class="button" type="button" onClick={() => ask(false)}>
            {texts.value.common.cancel}
          </button>
        </div>
      </Dialog>
    </section>
  )
}
