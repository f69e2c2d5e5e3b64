// Tests: tests/e2e/browser/dashboard.test.ts
/** Chooses the screen by the address. Each screen is a file that is loaded when it is first opened. */
import type { ComponentChildren } from 'preact'
import { useEffect, useErrorBoundary, useMemo } from 'preact/hooks'
import { Route, Router, useLocation } from 'preact-iso/router'
import { COUNTER_PATH, PATHS } from '../paths.ts'
import { Loaded, Problem } from '../ui/basics.tsx'
import { LoginAgain } from '../ui/login-again.tsx'
import { speakAs } from './account-language.ts'
import { texts } from './language.ts'
import { screen } from './screen.tsx'
import { ACCOUNT_QUERY, isLoggedOut, queries, useAccount } from './session.ts'
import { Shell } from './shell.tsx'
import { hasTyped } from './typed.ts'

const entry = () => import('../screens/entry.tsx')
const Login = screen(entry, 'Login')
const Register = screen(entry, 'Register')
const VerifyEmail = screen(entry, 'VerifyEmail')
const ForgotPassword = screen(entry, 'ForgotPassword')
const ResetPassword = screen(entry, 'ResetPassword')
const NotFound = screen(() => import('../screens/not-found.tsx'), 'NotFound')
const today = () => import('../screens/today.tsx')
const transactions = () => import('../screens/transactions.tsx')
const Today = screen(today, 'Today')
const Transactions = screen(transactions, 'Transactions')
const TransactionPage = screen(() => import('../screens/transaction.tsx'), 'TransactionPage')
const Undelivered = screen(() => import('../screens/undelivered.tsx'), 'Undelivered')
const Webhooks = screen(() => import('../screens/webhooks.tsx'), 'Webhooks')
const WebhookPage = screen(() => import('../screens/webhook.tsx'), 'WebhookPage')
const TryIt = screen(() => import('../screens/try-it.tsx'), 'TryIt')
const Sources = screen(() => import('../screens/sources.tsx'), 'Sources')
const Unread = screen(() => import('../screens/unread.tsx'), 'Unread')
const Exports = screen(() => import('../screens/exports.tsx'), 'Exports')
const Settings = screen(() => import('../screens/settings.tsx'), 'Settings')
const PlanPage = screen(() => import('../screens/plan.tsx'), 'PlanPage')
const Operator = screen(() => import('../screens/operator.tsx'), 'Operator')
const Counter = screen(() => import('../screens/counter.tsx'), 'Counter')
const editor = () => import('../screens/webhook-editor.tsx')
const NewWebhook = screen(editor, 'NewWebhook')
const ChangeWebhook = screen(editor, 'ChangeWebhook')

/** Loads the screen of the address, and what it shows first, while the language and the account are on their way. */
export const preloadScreen = ({ pathname: path, search }: Location): void => {
  if (path in PUBLIC) return void entry()
  if (isCounter(path)) return void Counter.preload()
  void queries.prefetchQuery(ACCOUNT_QUERY)
  if (path === PATHS.today) void today().then(({ ahead }) => ahead())
  if (path === PATHS.transactions) void transactions().then(({ ahead }) => ahead(search))
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

const Private = () => {
  const account = useAccount()
  const { url } = useLocation()
  const isOut = isLoggedOut(account.error)
  const stays = useMemo(() => isOut && account.data !== undefined && hasTyped(), [isOut])
  useEffect(() => {
    if (isOut && !stays) location.assign(url === '/' ? '/login' : `/login?next=${encodeURIComponent(url)}`)
  }, [isOut])
  const isKnown = account.data !== undefined
  useEffect(() => {
    if (account.data) speakAs(account.data)
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
      {account.error && !isOut && <Problem error={account.error} />}
      <Router>
        <Route path={PATHS.today} component={Today} />
        <Route path={PATHS.transactions} component={Transactions} />
        <Route path={PATHS.transaction} component={TransactionPage} />
        <Route path={PATHS.undelivered} component={Undelivered} />
        <Route path={PATHS.webhooks} component={Webhooks} />
        <Route path={PATHS.newWebhook} component={NewWebhook} />
        <Route path={PATHS.changeWebhook} component={ChangeWebhook} />
        <Route path={PATHS.webhook} component={WebhookPage} />
        <Route path={PATHS.tryIt} component={TryIt} />
        <Route path={PATHS.sources} component={Sources} />
        <Route path={PATHS.unread} component={Unread} />
        <Route path={PATHS.exports} component={Exports} />
        <Route path={PATHS.settings} component={Settings} />
        <Route path={PATHS.plan} component={PlanPage} />
        <Route path={PATHS.operator} component={Operator} />
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
