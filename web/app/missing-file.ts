// Tests: tests/e2e/browser/dashboard.test.ts
/**
 * Files of the page are loaded when they are needed. That fails without a network. It also fails after an update of the server, because the
 * files of the page that is open have other names then. In the second case the page has to be loaded again.
 */
import { announce } from './announce.ts'
import { texts } from './language.ts'
import { hasTyped } from './typed.ts'

/** A file that is missing for good must not load the page again and again. */
const SELDOM_MS = 60_000
const RELOADED = 'baoco.reloaded'

export const isServerThere = (): Promise<boolean> =>
  fetch('/', { method: 'HEAD', cache: 'no-store' }).then(
    ({ status }) => status < 500,
    () => false,
  )

/** @returns whether the page was not loaded again for this reason just now */
export const mayReload = (): boolean => {
  try {
    const before = Number(sessionStorage.getItem(RELOADED))
    sessionStorage.setItem(RELOADED, String(Date.now()))
    return Date.now() - before > SELDOM_MS
  } catch {
    // Storage is forbidden.
    return false
  }
}

/** For a file without which the page goes on. Says so if the page cannot be loaded again, or what was typed would be lost. */
export const mayRenew = async (): Promise<boolean> => {
  if (!hasTyped() && (await isServerThere()) && mayReload()) return true
  announce(texts.value.common.partNotLoaded)
  return false
}
