// Tests: tests/e2e/browser/dashboard.test.ts
/** Small pieces that every screen uses. */
import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { ApiError } from '../api/client.ts'
import type { Transaction, WebhookStatus } from '../api/types.ts'
import { announce } from '../app/announce.ts'
import { copied } from '../app/copy-text.ts'
import { ago, moment, signedMoney } from '../app/localised.ts'
import { marked, piecesOf } from '../app/hidden-characters.ts'
import { useIntoView } from '../app/into-view.ts'
import { texts } from '../app/language.ts'
import { problemOf, translated } from '../app/problem.ts'
import { PATHS, type PARTS } from '../paths.ts'

/** The heading of a screen. It takes the focus when the screen opens, so that screen readers begin there. */
export const Heading = ({ title, children }: { title: string; children?: ComponentChildren }) => {
  const ref = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    document.title = `${marked(title)} · Baoco`
  }, [title])
  useEffect(() => ref.current?.focus({ preventScroll: true }), [])
  return (
    <div class="head">
      <h1 ref={ref} tabIndex={-1}>
        <Stranger text={title} />
      </h1>
      {children && <div class="row">{children}</div>}
    </div>
  )
}

/** The heading of a part of a screen. A link that names the part leads to it, and the keyboard goes on from there. */
export const PartHeading = ({ of, text }: { of: keyof typeof PARTS; text: string }) => {
  const ref = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    if (location.hash !== `#${of}`) return
    ref.current?.focus({ preventScroll: true })
    ref.current?.scrollIntoView()
  }, [])
  return (
    <h2 ref={ref} id={of} tabIndex={-1}>
      {text}
    </h2>
  )
}

/** A text by a stranger: only as text, with invisible characters shown as marks. */
export const Stranger = ({ text }: { text: string }) => (
  <bdi>
    {piecesOf(text).map(({ text: piece, isMark }, index) =>
      isMark ? (
        <span key={index} class="mark">
          {piece}
        </span>
      ) : (
        piece
      ),
    )}
  </bdi>
)

const SHAPES = { success: '●', pending: '◐', failed: '▲', neutral: '○' }

/** A short text about a state. Its shape says the same as its colour. */
export const StatusText = ({
  kind,
  shape = SHAPES[kind],
  text,
}: {
  kind: keyof typeof SHAPES
  shape?: string | undefined
  text: string
}) => (
  <span class={`status ${kind}`}>
    <span aria-hidden="true">{shape}</span> {text}
  </span>
)

const STATUSES: Record<WebhookStatus | 'retrying', readonly [kind: keyof typeof SHAPES, shape?: string]> = {
  success: ['success'],
  pending: ['pending'],
  retrying: ['pending'],
  failed: ['failed'],
  no_match: ['neutral'],
  skipped: ['neutral', '–'],
  already_run: ['neutral', '='],
  plan_upgraded: ['success'],
}

export const Status = ({ of }: { of: WebhookStatus | 'retrying' }) => {
  const [kind, shape] = STATUSES[of]
  return <StatusText kind={kind} shape={shape} text={texts.value.common.status[of]} />
}

export const Amount = ({ of }: { of: Pick<Transaction, 'amount' | 'currency' | 'transaction_type'> }) => (
  <span class={of.transaction_type}>{signedMoney(of)}</span>
)

/** How long a figure is, for the styles that make it fit. */
export const lettersOf = (text: string) => ({ '--letters': text.length })

export const When = ({ at }: { at: string }) => <time dateTime={at}>{moment(at)}</time>
export const Ago = ({ at }: { at: string }) => (
  <time dateTime={at} title={moment(at)}>
    {ago(at)}
  </time>
)

/** A larger plan allows more. */
const OF_PLAN: ReadonlySet<string> = new Set([
  'WEBHOOK_LIMIT_REACHED',
  'DEVICE_LIMIT_REACHED',
  'MAIL_ACCOUNT_LIMIT_REACHED',
  'SYSTEM_LIMIT_REACHED',
])

/** @param retry  repeats a read. Nobody waits for its failure, so the page stays where it is */
export const Problem = ({ error, retry }: { error: unknown; retry?: () => unknown }) => {
  const ref = useIntoView<HTMLDivElement>()
  return (
    <div ref={retry ? null : ref} class="notice failed stack tight" role="alert">
      <p>{problemOf(error)}</p>
      {error instanceof ApiError && OF_PLAN.has(error.code) && (
        <p>
          <a href={PATHS.plan}>{texts.value.common.plans}</a>
        </p>
      )}
      {retry && (
        <div>
          <button class="button" type="button" onClick={() => void retry()}>
            {texts.value.common.tryAgain}
          </button>
        </div>
      )}
    </div>
  )
}

/** Good news: an action has succeeded, or nothing is wrong. */
export const DoneNotice = ({ text }: { text: string }) => (
  <p class="notice done" role="status">
    {text}
  </p>
)

export const Loading = () => (
  <p class="muted" role="status">
    {texts.value.common.loading}
  </p>
)

/** The label beside a box to tick. */
export const BoxLabel = ({ label, hint }: { label: ComponentChildren; hint: string | undefined }) => (
  <span>
    {label}
    {hint && (
      <>
        <br />
        <span class="muted">{hint}</span>
      </>
    )}
  </span>
)

export const Empty = ({ text, children }: { text: string; children?: ComponentChildren }) => (
  <div class="block stack tight">
    <p>{text}</p>
    {children && <div class="row">{children}</div>}
  </div>
)

const copyText = async (text: string): Promise<void> => {
  const { common } = texts.value
  announce((await copied(text)) ? common.copied : common.notCopied)
}

/** @param of  what it is, for screen readers, if there are several buttons */
export const Copy = ({ text, label, of }: { text: string; label?: string; of?: string | undefined }) => {
  const shown = label ?? texts.value.common.copy
  return (
    <button class="button" type="button" aria-label={of && `${shown}: ${of}`} onClick={() => void copyText(text)}>
      {shown}
    </button>
  )
}

/** One line to copy, such as an address or a secret. @param shown  what is shown instead of the text that is copied */
export const Copyable = ({ text, shown = text, of }: { text: string; shown?: string; of?: string }) => (
  <div class="copyable">
    <code>
      <Stranger text={shown} />
    </code>
    <Copy text={text} of={of} />
  </div>
)

interface FieldProps {
  label: ComponentChildren
  hint?: ComponentChildren
  problem?: string | undefined
  children: (attributes: { id: string; 'aria-describedby'?: string; 'aria-invalid'?: 'true' }) => ComponentChildren
}

let fields = 0
export const Field = ({ label, hint, problem, children }: FieldProps) => {
  const [id] = useState(() => `field-${++fields}`)
  const described = [hint && `${id}-hint`, problem && `${id}-problem`].filter(Boolean).join(' ')
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children({
        id,
        ...(described ? { 'aria-describedby': described } : {}),
        ...(problem ? { 'aria-invalid': 'true' } : {}),
      })}
      {hint && (
        <span class="hint" id={`${id}-hint`}>
          {hint}
        </span>
      )}
      {problem && (
        <span class="problem" id={`${id}-problem`}>
          {problem}
        </span>
      )}
    </div>
  )
}

interface TextFieldProps {
  label: string
  name: string
  type?: string
  value?: string | number | undefined
  hint?: ComponentChildren
  error?: unknown
  required?: boolean
  autocomplete?: string
  min?: number
  inputMode?: 'numeric'
}

/** An input whose problem is the API's issue with the same path. */
export const TextField = ({
  label,
  name,
  type = 'text',
  value,
  hint,
  error,
  autocomplete,
  ...rest
}: TextFieldProps) => (
  <Field label={label} hint={hint} problem={issueOf(error, name)}>
    {(attributes) => (
      <input
        {...attributes}
        {...rest}
        name={name}
        type={type}
        defaultValue={value}
        autoComplete={autocomplete ?? 'off'}
      />
    )}
  </Field>
)

/** The API's complaint about one field of a form, or about a part of its value. */
export const issueOf = (error: unknown, path: string): string | undefined =>
  error instanceof ApiError
    ? error.issues
        .filter((issue) => issue.path === path || issue.path.startsWith(`${path}.`))
        .map(({ message }) => translated(message))[0]
    : undefined

/** Why an action failed, if it did. @param fields  of its form, which show their own problems */
export const ActionProblem = ({ error, fields = [] }: { error: unknown; fields?: readonly string[] }) =>
  error && !fields.some((field) => issueOf(error, field)) ? <Problem error={error} /> : null
