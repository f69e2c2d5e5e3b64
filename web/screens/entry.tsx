// Tests: tests/e2e/browser/dashboard.test.ts
/** Login, registration, and the pages that the links in our mails open. */
import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'
import { useLocation } from 'preact-iso/router'
import { useQuery } from '@tanstack/preact-query'
import { ApiError, post } from '../api/client.ts'
import { afterLogin } from '../app/after-login.ts'
import { keepChosenLanguage } from '../app/account-language.ts'
import { language, texts } from '../app/language.ts'
import { Preferences } from '../ui/preferences.tsx'
import { ACCOUNT_QUERY, queries } from '../app/session.ts'
import { Logo } from '../ui/logo.tsx'
import { valuesOf } from '../app/submitted-values.ts'
import { ActionProblem, DoneNotice, Heading, Loading, TextField } from '../ui/basics.tsx'
import { useAction } from '../ui/action.ts'
import { EmailField, LoginForm } from '../ui/login-form.tsx'

const Entry = ({ title, children }: { title: string; children: ComponentChildren }) => (
  <main class="entry" id="content">
    <div class="brand">
      <Logo />
      Baoco
    </div>
    <div>
      <Heading title={title} />
      <div class="stack">{children}</div>
    </div>
    <div class="preferences">
      <Preferences />
    </div>
  </main>
)

const ToLogin = () => (
  <p>
    <a href="/login">{texts.value.entry.login.title}</a>
  </p>
)

const NewPasswordField = ({ label, error }: { label: string; error: unknown }) => (
  <TextField
    label={label}
    name="password"
    type="password"
    required
    autocomplete="new-password"
    hint={texts.value.entry.register.hint}
    error={error}
  />
)

/** The token of a link that signs in once. It leaves the address at once, so it is in no history. */
const takeToken = (): string | null => {
  const token = location.hash.slice(1)
  if (!token) return null
  history.replaceState(null, '', location.pathname + location.search)
  return token
}

export const Login = () => {
  const { entry, shell } = texts.value
  const link = useAction((token: string) => post('/api/session/link', { token }))
  useEffect(() => {
    const follow = (): void => {
      const token = takeToken()
      if (token) void link.run(token).then((done) => done && location.replace('/'))
    }
    follow()
    // The link may also be opened where this page is open.
    addEventListener('hashchange', follow)
    return () => removeEventListener('hashchange', follow)
  }, [])
  const isUsed = link.error instanceof ApiError && link.error.status === 400
  // Somebody may open the link a second time, although it has logged them in.
  const account = useQuery({ ...ACCOUNT_QUERY, enabled: isUsed })
  const { query } = useLocation()
  const enter = async (): Promise<void> => {
    await keepChosenLanguage()
    queries.clear()
    location.replace(afterLogin(query.next, location.origin))
  }
  return (
    <Entry title={entry.login.title}>
      {link.isRunning && <Loading />}
      {isUsed ? (
        <p class="notice failed" role="alert">
          {entry.login.badLink}
        </p>
      ) : (
        <ActionProblem error={link.error} />
      )}
      {account.data && (
        <div class="notice stack tight">
          <p>{entry.login.loggedIn(account.data.email)}</p>
          <div>
            <a class="button" href="/">
              {shell.notFound.back}
            </a>
          </div>
        </div>
      )}
      <LoginForm done={() => void enter()} />
      <p class="row between">
        <a href="/forgot-password">{entry.login.forgot}</a>
        <a href="/register">{entry.login.register}</a>
      </p>
    </Entry>
  )
}

export const Register = () => {
  const { entry } = texts.value
  const { query } = useLocation()
  const register = useAction(async ({ name, email = '', ...values }: Record<string, string>) => {
    await post('/api/auth/register', {
      ...values,
      email,
      language: language.value,
      ...(name ? { name } : {}),
      ...(query.ref ? { ref: query.ref } : {}),
    })
    return email
  })
  return (
    <Entry title={entry.register.title}>
      {register.result !== undefined ? (
        <DoneNotice text={entry.register.done(register.result)} />
      ) : (
        <>
          <p>{entry.register.lead}</p>
          <form class="form" onSubmit={(event) => void register.run(valuesOf(event))}>
            <TextField
              label={entry.name}
              name="name"
              autocomplete="name"
              hint={texts.value.common.optional}
              error={register.error}
            />
            <EmailField error={register.error} />
            <NewPasswordField label={entry.password} error={register.error} />
            <ActionProblem error={register.error} fields={['name', 'email', 'password']} />
            <button class="button main" disabled={register.isRunning}>
              {entry.register.button}
            </button>
          </form>
        </>
      )}
      <p>
        <a href="/login">{entry.register.have}</a>
      </p>
    </Entry>
  )
}

export const VerifyEmail = () => {
  const { entry } = texts.value
  const { query } = useLocation()
  const verify = useAction(() => post('/api/auth/verify-email', { token: query.token ?? '' }))
  useEffect(() => void verify.run(), [])
  return (
    <Entry title={entry.verify.title}>
      {verify.result ? (
        <DoneNotice text={entry.verify.done} />
      ) : verify.error ? (
        verify.error instanceof ApiError && verify.error.status === 400 ? (
          <p class="notice failed" role="alert">
            {entry.verify.bad}
          </p>
        ) : (
          <ActionProblem error={verify.error} />
        )
      ) : (
        <p role="status">{entry.verify.working}</p>
      )}
      {!verify.isRunning && <ToLogin />}
    </Entry>
  )
}

export const ForgotPassword = () => {
  const { entry } = texts.value
  const forgot = useAction((values: Record<string, string>) => post('/api/auth/forgot-password', values))
  return (
    <Entry title={entry.forgot.title}>
      {forgot.result ? (
        <DoneNotice text={entry.forgot.done} />
      ) : (
        <>
          <p>{entry.forgot.lead}</p>
          <form class="form" onSubmit={(event) => void forgot.run(valuesOf(event))}>
            <EmailField error={forgot.error} />
            <ActionProblem error={forgot.error} fields={['email']} />
            <button class="button main" disabled={forgot.isRunning}>
              {entry.forgot.button}
            </button>
          </form>
        </>
      )}
      <ToLogin />
    </Entry>
  )
}

export const ResetPassword = () => {
  const { entry } = texts.value
  const { query } = useLocation()
  const reset = useAction(({ password, everything }: Record<string, string>) =>
    post<{ ended?: object }>('/api/auth/reset-password', {
      token: query.token ?? '',
      password,
      end_everything: everything === 'on',
    }),
  )
  const isBad = reset.error instanceof ApiError && reset.error.issues.some(({ path }) => path === 'token')
  return (
    <Entry title={entry.reset.title}>
      {reset.result ? (
        <>
          <DoneNotice text={entry.reset.done} />
          {reset.result.ended && <p class="notice">{entry.reset.checkWebhooks}</p>}
          <ToLogin />
        </>
      ) : (
        <form class="form" onSubmit={(event) => void reset.run(valuesOf(event))}>
          <NewPasswordField label={entry.reset.new} error={reset.error} />
          <label class="choice">
            <input type="checkbox" name="everything" />
            <span>
              {entry.reset.everything}
              <br />
              <span class="muted">{entry.reset.everythingHint}</span>
            </span>
          </label>
          {isBad ? (
            <div class="notice failed" role="alert">
              <p>{entry.reset.bad}</p>
              <a href="/forgot-password">{entry.reset.again}</a>
            </div>
          ) : (
            <ActionProblem error={reset.error} fields={['password']} />
          )}
          <button class="button main" disabled={reset.isRunning}>
            {entry.reset.button}
          </button>
        </form>
      )}
    </Entry>
  )
}
