// Tests: tests/e2e/browser/dashboard.test.ts
/** The frame of every screen: the rail, or the bar at the bottom of a phone; the live state; and who is logged in. */
import type { ComponentChildren } from 'preact'
import { useEffect } from 'preact/hooks'
import { useLocation } from 'preact-iso/router'
import { PATHS, type Screen } from '../paths.ts'
import type { Account } from '../api/types.ts'
import { announce, announcement } from '../app/announce.ts'
import { texts } from '../app/language.ts'
import { leaving } from '../app/leave.ts'
import { liveState, startLive } from '../app/live.ts'
import { logOut } from '../app/log-out.ts'
import { problemOf } from '../app/problem.ts'
import { LeaveQuestion } from '../ui/leave-question.tsx'
import { Logo } from '../ui/logo.tsx'
import { Preferences } from '../ui/preferences.tsx'
import { Find, FindButton } from './find.tsx'
import { Menu } from './menu.tsx'
import { isOpening, OpeningSign } from './opening.tsx'

/** On a phone the first three are in the bar, the others in its menu. */
const FIRST = ['today', 'transactions', 'webhooks'] as const
const OTHERS = ['undelivered', 'sources', 'unread', 'tryIt', 'exports', 'settings'] as const satisfies readonly Screen[]

/** Whether an address belongs to a screen. */
const isOn = (path: string, screen: Screen): boolean => {
  const target = PATHS[screen]
  return target === '/' ? path === '/' : path === target || path.startsWith(`${target}/`)
}

const NavLink = ({ to, rare = false }: { to: Screen & keyof (typeof texts.value)['shell']['nav']; rare?: boolean }) => {
  const { path } = useLocation()
  return (
    <a href={PATHS[to]} class={rare ? 'rare' : undefined} aria-current={isOn(path, to) ? 'page' : undefined}>
      {texts.value.shell.nav[to]}
    </a>
  )
}

const Foot = ({ account }: { account: Account }) => (
  <div class="foot">
    <span class="live" role="status">
      {texts.value.shell.live[liveState.value]}
    </span>
    <span class="muted">{account.email}</span>
    <Preferences />
    <button
      class="button"
      type="button"
      onClick={() => leaving(() => void logOut().catch((error: unknown) => announce(problemOf(error))))}
    >
      {texts.value.shell.logOut}
    </button>
  </div>
)

interface ShellProps {
  account: Account
  children: ComponentChildren
}

export const Shell = ({ account, children }: ShellProps) => {
  const { shell } = texts.value
  const { path } = useLocation()
  useEffect(() => startLive(account.id), [account.id])
  const isInMenu = [...OTHERS, 'operator' as const].some((each) => isOn(path, each))
  const others = (
    <>
      {OTHERS.map((each) => (
        <NavLink key={each} to={each} rare />
      ))}
      {account.operator && <NavLink to="operator" rare />}
    </>
  )
  return (
    <>
      <a class="skip button" href="#content">
        {shell.skip}
      </a>
      <div class="shell">
        <header class="rail">
          <a class="brand" href="/">
            <Logo />
            Baoco
          </a>
          <FindButton />
          <nav aria-label={shell.nav.label}>
            {FIRST.map((each) => (
              <NavLink key={each} to={each} />
            ))}
            <hr />
            {others}
            <Menu isCurrent={isInMenu}>
              <FindButton />
              {others}
              <Foot account={account} />
            </Menu>
          </nav>
          <Foot account={account} />
        </header>
        <main class="content" id="content" tabIndex={-1} aria-busy={isOpening.value}>
          <OpeningSign />
          {children}
          <LeaveQuestion />
        </main>
      </div>
      <Find screens={[...FIRST, ...OTHERS, 'plan', ...(account.operator ? (['operator'] as const) : [])]} />
    </>
  )
}

/** A tap takes it away: it may lie on what somebody wants to press next. */
export const LiveRegion = () => (
  <div class="announcement" role="status" aria-live="polite" onClick={() => (announcement.value = '')}>
    {announcement.value}
  </div>
)
