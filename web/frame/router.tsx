// Tests: tests/e2e/browser/dashboard.test.ts
/** Chooses the screen by the address. The files of the screens are loaded when they are needed. */
import type { ComponentChildren } from 'preact'
import { useEffect, useErrorBoundary, useMemo } from 'preact/hooks'
import { Route, Router, useLocation } from 'preact-iso/router'
import { COUNTER_PATH, fits, PATHS } from '../paths.ts'
import { speakAs } from '../app/account-language.ts'
import { texts } from '../app/language.ts'
import { ACCOUNT_QUERY, isLoggedOut, queries, useAccount } from '../app/session.ts'
import { hasTyped } from '../app/typed.ts'
import { FailedRead, Loaded } from '../ui/loaded.tsx'
import { LoginAgain } from '../ui/login-again.tsx'
import { endOpening, loadInAdvance, startOpening } from './opening.tsx'
import { screen } from './screen.tsx'
import { Shell } from './shell.tsx'

const entry = () => import('../screens/entry.tsx')
const Login = screen(entry, 'Login')
const Register = screen(entry, 'Register')
const VerifyEmail = screen(entry, 'VerifyEmail')
const ForgotPassword = screen(entry, 'ForgotPassword')
const ResetPassword = screen(entry, 'ResetPassword')
const NotFound = screen(() => import('../screens/not-found.tsx'), 'NotFound')
const Counter = screen(() => import('../screens/counter.tsx'), 'Counter')
const payments = () => import('../screens/together/payments.ts')
const webhooks = () => import('../screens/together/webhooks.ts')
const setup = () => import('../screens/together/setup.ts')

/** The screens that most people open. */
const IN_ADVANCE = [payments, webhooks, setup]

/** The screens behind the login. The first that fits an address counts. */
const PRIVATE = {
  [PATHS.today]: screen(payments, 'Today'),
  [PATHS.transactions]: screen(payments, 'Transactions'),
  [PATHS.transaction]: screen(payments, 'TransactionPage'),
  [PATHS.undelivered]: screen(webhooks, 'Undelivered'),
  [PATHS.webhooks]: screen(webhooks, 'Webhooks'),
  [PATHS.newWebhook]: screen(webhooks, 'NewWebhook'),
  [PATHS.changeWebhook]: screen(webhooks, 'ChangeWebhook'),
  [PATHS.webhook]: screen(webhooks, 'WebhookPage'),
  [PATHS.tryIt]: screen(setup, 'TryIt'),
  [PATHS.sources]: screen(setup, 'Sources'),
  [PATHS.unread]: screen(setup, 'Unread'),
  [PATHS.exports]: screen(() => import('../screens/exports.tsx'), 'Exports'),
  [PATHS.settings]: screen(setup, 'Settings'),
  [PATHS.plan]: screen(() => import('../screens/plan.tsx'), 'PlanPage'),
  [PATHS.operator]: screen(() => import('../screens/operator.tsx'), 'Operator'),
}

/** Loads the screen of the address, and what it shows first, while the language and the account are on their way. */
export const preloadScreen = ({ pathname: path, search }: Location): void => {
  if (path in PUBLIC) return void entry()
  if (isCounter(path)) return void Counter.preload()
  void queries.prefetchQuery(ACCOUNT_QUERY)
  const found = Object.entries(PRIVATE).find(([each]) => fits(path, each))
  void found?.[1].preload()
  if (path === PATHS.today) void payments().then(({ aheadOfToday }) => aheadOfToday())
  if (path === PATHS.transactions) void payments().then(({ aheadOfTransactions }) => aheadOfTransactions(search))
}

const Boundary = ({ children }: { children: ComponentChildren }) => {
  const [error] = useErrorBoundary((error: unknown) => console.error(error))
  const { common } = texts.value
  if (!error) return <>{children}</>
  return (
    <main class="entry stack" id="content">
      <h1>{common.crashed}</h1>
      <p>{common.crashedText}</p>
      <button class="button main" type="button" onClick={() => location.reload()}>
        {common.reload}
      </button>
    </main>
  )
}

/** The router cannot read a broken address, such as `/transactions/50%`. */
const isReadable = (path: string): boolean => {
  try {
    return decodeURIComponent(path) !== ''
  } catch {
    return false
  }
}

const Private = () => {
  const account = useAccount()
  const { url, path } = useLocation()
  const isOut = isLoggedOut(account.error)
  const stays = useMemo(() => isOut && account.data !== undefined && hasTyped(), [isOut])
  useEffect(() => {
    if (isOut && !stays) location.replace(url === '/' ? '/login' : `/login?next=${encodeURIComponent(url)}`)
  }, [isOut])
  const isKnown = account.data !== undefined
  useEffect(() => {
    if (!account.data) return
    speakAs(account.data)
    void loadInAdvance(IN_ADVANCE)
  }, [isKnown])
  if (isOut && !stays) return null
  if (!account.data)
    return (
      <main class="entry" id="content">
        <Loaded of={account}>{() => null}</Loaded>
      </main>
    )
  return (
    <Shell account={account.data}>
      {!isOut && <FailedRead of={account} />}
      <Router onLoadStart={startOpening} onLoadEnd={endOpening}>
        {(isReadable(path) ? Object.entries(PRIVATE) : []).map(([each, component]) => (
          <Route key={each} path={each} component={component} />
        ))}
        <Route default component={NotFound} />
      </Router>
      {isOut && <LoginAgain email={account.data.email} />}
    </Shell>
  )
}

/** The screens without a login. A router inside a router would not follow a change of the address, so there is one or the other. */
const PUBLIC = {
  [PATHS.login]: Login,
  [PATHS.register]: Register,
  [PATHS.verifyEmail]: VerifyEmail,
  [PATHS.forgotPassword]: ForgotPassword,
  [PATHS.resetPassword]: ResetPassword,
  [COUNTER_PATH]: Counter,
}

const isCounter = (path: string): boolean => path.startsWith(COUNTER_PATH.replace(':token', ''))

const Screens = () => {
  const { path } = useLocation()
  if (!(path in PUBLIC) && !isCounter(path)) return <Private />
  return (
    <Router>
      {Object.entries(PUBLIC).map(([each, component]) => (
        <Route key={each} path={each} component={component} />
      ))}
    </Router>
  )
}

export const App = () => (
  <Boundary>
    <Screens />
  </Boundary>
)
