// Tests: tests/e2e/browser/dashboard.test.ts
/**
 * The API does not show an order of a plan again. So the tab keeps the one that waits for its payment: after a reload the page shows it,
 * and nobody has to order a second time.
 */
import { openOrderOf, type OpenOrder } from './plan-order.ts'

const KEY = 'baoco.plan-order'

/** @param user  whose order it must be @returns null if there is none */
export const keptOrder = (user: number): OpenOrder | null => {
  try {
    return openOrderOf(sessionStorage.getItem(KEY), user, Date.now())
  } catch {
    // Storage is forbidden, or an earlier version wrote it.
    return null
  }
}

/** @param order  null: it is paid, or no longer wanted */
export const keepOrder = (order: OpenOrder | null): void => {
  try {
    if (order) sessionStorage.setItem(KEY, JSON.stringify(order))
    else sessionStorage.removeItem(KEY)
  } catch {
    // Storage is forbidden: the order is shown until the page is left.
  }
}
