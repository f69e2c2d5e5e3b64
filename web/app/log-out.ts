// Tests: tests/e2e/browser/dashboard.test.ts
import { remove } from '../api/client.ts'
import { endOtherTabs } from './live.ts'
import { isLoggedOut, queries } from './session.ts'

/** Ends the login in all tabs. @throws {ApiError} it has not ended */
export const logOut = async (): Promise<void> => {
  await remove('/api/session').catch((error: unknown) => {
    if (!isLoggedOut(error)) throw error
  })
  endOtherTabs()
  queries.clear()
  location.assign('/login')
}
