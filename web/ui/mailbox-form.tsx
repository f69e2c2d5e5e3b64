// Tests: tests/e2e/browser/dashboard.test.ts
/** Adds a mailbox, or changes one. Most people have Gmail, so its steps come first. */
import { useState } from 'preact/hooks'
import { postData, putData } from '../api/client.ts'
import type { MailAccount } from '../api/types.ts'
import { texts } from '../app/language.ts'
import { valuesOf } from '../app/submitted-values.ts'
import { useAction } from './action.ts'
import { ActionProblem, TextField } from './basics.tsx'
import { Choice, Select } from './choices.tsx'

const HOSTS = [
  ['imap.gmail.com', 'Gmail'],
  ['imap.mail.me.com', 'iCloud'],
  ['imap.gmx.net', 'GMX'],
  ['imap.fastmail.com', 'Fastmail'],
] as const
const IMAPS_PORT = 993
const GMAIL = HOSTS[0][0]
const APP_PASSWORDS = 'https://myaccount.google.com/apppasswords'
const FIELDS = ['email', 'password', 'host', 'port', 'username', 'folder', 'authserv_id']

/** Google shows an app password in four groups. */
const passwordOf = (text: string, host: string): string => (host === GMAIL ? text.replaceAll(/\s/g, '') : text)

const fieldsOf = (values: Record<string, string>, known: string) => {
  const host = known || values.host || ''
  return {
    email: values.email,
    host,
    password: passwordOf(values.password ?? '', host),
    username: values.username || values.email,
    port: known ? IMAPS_PORT : Number(values.port || IMAPS_PORT),
    tls: known !== '' || values.tls === 'on',
    ...(values.folder ? { folder: values.folder } : {}),
    ...(values.authserv_id ? { authserv_id: values.authserv_id } : {}),
  }
}

/** The provider whose short form fits a mailbox. '' for one that needs all fields, such as a user name that is not the email address. */
const providerOf = ({ host, port, tls, username, email }: MailAccount): string =>
  HOSTS.some(([each]) => each === host) && port === IMAPS_PORT && tls && username === email ? host : ''

const GmailSteps = () => {
  const t = texts.value.sources.mail
  return (
    <div class="stack tight">
      <h3>{t.gmailTitle}</h3>
      <ol class="steps">
        {t.gmail.map((step) => (
          <li key={step}>{step}</li>
        ))}
      </ol>
      <p>
        <a href={APP_PASSWORDS} target="_blank" rel="noopener noreferrer">
          {t.gmailLink}
        </a>
      </p>
    </div>
  )
}

interface FormProps {
  of?: MailAccount
  onSaved: (saved: MailAccount) => void
  onCancel: () => void
}

export const MailboxForm = ({ of, onSaved, onCancel }: FormProps) => {
  const t = texts.value.sources.mail
  const [known, choose] = useState<string>(of ? providerOf(of) : GMAIL)
  const save = useAction(
    (fields: object) =>
      of
        ? putData<MailAccount>(`/api/mail-accounts/${of.id}`, fields)
        : postData<MailAccount>('/api/mail-accounts', fields),
    ['sources', 'account'],
  )
  const submit = async (event: Event): Promise<void> => {
    const saved = await save.run(fieldsOf(valuesOf(event), known))
    if (saved) onSaved(saved)
  }
  const { error } = save
  return (
    <form class="form" onSubmit={(event) => void submit(event)}>
      <Select
        label={t.provider}
        name="provider"
        value={known}
        options={[...HOSTS, ['', t.other]]}
        onChange={(host) => choose(host)}
      />
      {known === GMAIL && <GmailSteps />}
      {known === '' && <p class="muted">{t.unsuitable}</p>}
      <TextField label={t.email} name="email" type="email" required value={of?.email} error={error} />
      <TextField
        label={t.password}
        name="password"
        type="password"
        required
        autocomplete="new-password"
        hint={of ? `${t.passwordHint} ${t.passwordAgain}` : t.passwordHint}
        error={error}
      />
      {known === '' && (
        <>
          <TextField label={t.host} name="host" required value={of?.host} error={error} />
          <TextField label={t.port} name="port" type="number" min={1} value={of?.port ?? IMAPS_PORT} error={error} />
          <Choice label={t.tls} name="tls" isOn={of?.tls !== false} />
          <TextField label={t.username} name="username" value={of?.username} hint={t.usernameHint} error={error} />
          <TextField label={t.folder} name="folder" value={of?.folder ?? 'INBOX'} error={error} />
          <TextField
            label={t.authserv}
            name="authserv_id"
            value={of?.authserv_id ?? undefined}
            hint={t.authservHint}
            error={error}
          />
        </>
      )}
      <ActionProblem error={error} fields={known === '' ? FIELDS : ['email', 'password']} />
      <div class="row">
        <button class="button main" disabled={save.isRunning}>
          {t.save}
        </button>
        <button class="button" type="button" onClick={onCancel}>
          {texts.value.common.cancel}
        </button>
      </div>
    </form>
  )
}
