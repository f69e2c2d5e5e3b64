// Tests: tests/e2e/browser/dashboard.test.ts
/** The fields for email and password, with their errors. The login screen shows it, and so does the dialog after a login has ended. */
import { useState } from 'preact/hooks'
import { ApiError, post } from '../api/client.ts'
import { texts } from '../app/language.ts'
import { valuesOf } from '../app/submitted-values.ts'
import { useAction } from './action.ts'
import { ActionProblem, DoneNotice, TextField } from './basics.tsx'

export const EmailField = ({ value, error }: { value?: string | undefined; error?: unknown }) => (
  <TextField
    label={texts.value.entry.email}
    name="email"
    type="email"
    required
    value={value}
    autocomplete="username"
    error={error}
  />
)

/** @param email  that is filled in @param done  called when somebody has logged in */
export const LoginForm = ({ email: known, done }: { email?: string; done: () => void }) => {
  const { entry } = texts.value
  const login = useAction((values: Record<string, string>) => post('/api/session', values))
  const resend = useAction((email: string) => post('/api/auth/resend-verify', { email }))
  const [email, setEmail] = useState('')
  const isUnverified = login.error instanceof ApiError && login.error.code === 'EMAIL_NOT_VERIFIED'
  const isWrong = login.error instanceof ApiError && login.error.status === 401
  const submit = async (event: Event): Promise<void> => {
    const values = valuesOf(event)
    setEmail(values.email ?? '')
    if (await login.run(values)) done()
  }
  return (
    <form class="form" onSubmit={(event) => void submit(event)}>
      <EmailField value={known} />
      <TextField label={entry.password} name="password" type="password" required autocomplete="current-password" />
      {isWrong ? (
        <p class="notice failed" role="alert">
          {entry.login.wrong}
        </p>
      ) : (
        <ActionProblem error={login.error} />
      )}
      {isUnverified &&
        (resend.result ? (
          <DoneNotice text={entry.login.resent} />
        ) : (
          <button class="button" type="button" disabled={resend.isRunning} onClick={() => void resend.run(email)}>
            {entry.login.resend}
          </button>
        ))}
      <button class="button main" disabled={login.isRunning}>
        {entry.login.button}
      </button>
    </form>
  )
}
