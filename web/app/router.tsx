/** Chooses the screen by the address. Each screen is a file that is loaded when it is first opened. */
import type { ComponentChildren, FunctionComponent } from 'preact'
import { useEffect, useErrorBoundary } from 'preact/hooks'
import { lazy, Route, Router, useLocation } from 'preact-iso'
import { PATHS } from '../paths.ts'
import { Loaded, Problem } from '../ui/basics.tsx'
import { texts } from './language.ts'
import { isLoggedOut, useAccount } from './session.ts'
import { Shell } from './shell.tsx'

type Screens<Name extends string> = Record<Name, FunctionComponent>
const screen = <Name extends string>(load: () => Promise<Screens<Name>>, name: Name) =>
  lazy(async () => (await load())[name])

const entry = () => import('../screens/entry.tsx')
const Login = screen(entry, 'Login')
const Register = screen(entry, 'Register')
const VerifyEmail = screen(entry, 'VerifyEmail')
const ForgotPassword = screen(entry, 'ForgotPassword')
const ResetPassword = screen(entry, 'ResetPassword')
const NotFound = screen(() => import('../screens/not-found.tsx'), 'NotFound')
const Today = screen(() => import('../screens/today.tsx'), 'Today')
const Transactions = screen(() => import('../screens/transactions.tsx'), 'Transactions')
const TransactionPage = screen(() => import('../screens/transaction.tsx'), 'TransactionPage')

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
  useEffect(() => {
    if (isOut) location.assign(url === '/' ? '/login' : `/login?next=${encodeURIComponent(url)}`)
  }, [isOut])
  if (isOut) return null
  if (!account.data)
    return (
      <main class="entry" id="content">
        <Loaded of={account}>{() => null}</Loaded>
      </main>
    )
  return (
    <Shell account={account.data}>
      {account.error && <Problem error={account.error} />}
      <Router>
        <Route path={PATHS.today} component={Today} />
        <Route path={PATHS.transactions} component={Transactions} />
        <Route path={PATHS.transaction} component={TransactionPage} />
        <Route default component={NotFound} />
      </Router>
    </Shell>
  )
}

export const App = () => (
  <Boundary>
    <Router>
      <Route path={PATHS.login} component={Login} />
      <Route path={PATHS.register} component={Register} />
      <Route path={PATHS.verifyEmail} component={VerifyEmail} />
      <Route path={PATHS.forgotPassword} component={ForgotPassword} />
      <Route path={PATHS.resetPassword} component={ResetPassword} />
      <Route default component={Private} />
    </Router>
  </Boundary>
)
