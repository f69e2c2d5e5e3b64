// Tests: tests/e2e/browser/dashboard.test.ts
/**
 * The login has ended while somebody was typing. They log in on top of the page, so what they typed stays where it is and is stored
 * nowhere. The page is covered until then.
 */
import { useEffect, useRef } from 'preact/hooks'
import { announce } from '../app/announce.ts'
import { texts } from '../app/language.ts'
import { queries, loggedInAgain } from '../app/session.ts'
import { LoginForm } from './login-form.tsx'

const enter = async (): Promise<void> => {
  await queries.invalidateQueries()
  loggedInAgain()
  announce(texts.value.entry.again.done)
}

/** @param email  of the account whose login has ended */
export const LoginAgain = ({ email }: { email: string }) => {
  const { again } = texts.value.entry
  const ref = useRef<HTMLDialogElement>(null)
  const show = (): void => void (ref.current?.isConnected && !ref.current.open && ref.current.showModal())
  useEffect(show, [])
  return (
    // There is no way back to the page without a login. Some browsers close a dialog by a second Escape all the same.
    <dialog
      ref={ref}
      class="again"
      aria-label={again.title}
      onCancel={(event) => event.preventDefault()}
      onClose={show}
    >
      <div class="stack">
        <h2>{again.title}</h2>
        <p>{again.text}</p>
        <LoginForm email={email} done={() => void enter()} />
        <p>
          <a data-discards href="/login">
            {again.other}
          </a>
        </p>
      </div>
    </dialog>
  )
}
