// Tests: tests/e2e/browser/dashboard.test.ts
/** Mailboxes: whether each can be read, a test, and the form that adds or changes one. */
import { useState } from 'preact/hooks'
import { post, remove } from '../api/client.ts'
import type { MailAccount } from '../api/types.ts'
import { useIntoView } from '../app/into-view.ts'
import { texts } from '../app/language.ts'
import { translated } from '../app/problem.ts'
import { useAction } from './action.ts'
import { ActionProblem, Stranger } from './basics.tsx'
import { Confirm } from './confirm.tsx'
import { EditableLines } from './editable-lines.tsx'
import { MailboxForm } from './mailbox-form.tsx'
import { SourceState, useSource } from './source-state.tsx'

type Tested = { success: true; authserv_id: string | null } | { success: false; error: string }

const Outcome = ({ of }: { of: Tested }) => {
  const t = texts.value.sources.mail
  const ref = useIntoView<HTMLDivElement>()
  return (
    <div ref={ref} class={`notice ${of.success ? 'done' : 'failed'}`} role="status">
      {of.success ? (
        <p>{of.authserv_id ? t.goodWith(of.authserv_id) : t.good}</p>
      ) : (
        <>
          <p>{t.bad}</p>
          <p>
            <Stranger text={translated(of.error)} />
          </p>
        </>
      )}
    </div>
  )
}

interface MailboxProps {
  of: MailAccount
  test: (id: number) => void
  isTesting: boolean
  outcome: Tested | undefined
  edit: () => void
}

const Mailbox = ({ of, test, isTesting, outcome, edit }: MailboxProps) => {
  const t = texts.value.sources.mail
  return (
    <li class="stack tight">
      <div class="row between">
        <div>
          <h3>
            <Stranger text={of.email} />
          </h3>
          <p class="muted">
            <Stranger text={of.host} />
          </p>
        </div>
        <div class="row">
          <button
            class="button"
            type="button"
            aria-label={t.testOf(of.email)}
            disabled={isTesting}
            onClick={() => test(of.id)}
          >
            {isTesting ? t.testing : t.test}
          </button>
          <button class="button" type="button" aria-label={t.change(of.email)} onClick={edit}>
            {t.edit}
          </button>
          <Confirm
            button={t.remove}
            label={t.removeOf(of.email)}
            title={t.removeTitle(of.email)}
            text={t.removeText}
            act={() => remove(`/api/mail-accounts/${of.id}`)}
            stale={['sources', 'account']}
            done={t.removed}
          />
        </div>
      </div>
      {of.is_active === 0 ? <p>{t.paused}</p> : <SourceState of={of} />}
      {of.last_error && !outcome && (
        <p class="notice failed">
          <Stranger text={translated(of.last_error)} />
        </p>
      )}
      {outcome && <Outcome of={outcome} />}
    </li>
  )
}

export const useMailboxes = () => useSource<MailAccount[]>('mail', '/api/mail-accounts')

export const Mailboxes = () => {
  const t = texts.value.sources.mail
  const mailboxes = useMailboxes()
  const [tested, setTested] = useState(0)
  const check = useAction((id: number) => post<Tested>(`/api/mail-accounts/${id}/test`), ['sources'])
  const test = (id: number): void => {
    setTested(id)
    void check.run(id)
  }
  return (
    <EditableLines
      part="mailboxes"
      texts={t}
      of={mailboxes}
      nameOf={({ email }) => email}
      line={(each, edit) => (
        <Mailbox
          key={each.id}
          of={each}
          test={test}
          isTesting={check.isRunning && tested === each.id}
          outcome={tested === each.id ? check.result : undefined}
          edit={edit}
        />
      )}
      form={(of, close) => {
        const saved = ({ id }: MailAccount): void => {
          close()
          test(id)
        }
        return <MailboxForm {...(of && { of })} onSaved={saved} onCancel={close} />
      }}
      isTight
    >
      <ActionProblem error={check.error} />
    </EditableLines>
  )
}
