// Tests: tests/e2e/browser/dashboard.test.ts
import type { Messages } from '../vi.ts'

export const counter: Messages['counter'] = {
  title: 'Money in',
  state: {
    connecting: 'Connecting…',
    live: 'Live',
    away: 'Connection lost, trying again…',
    over: 'This link no longer works.',
  },
  overText: 'The owner of the account can create a new link under Settings.',
  latest: 'Latest payment',
  earlier: 'Earlier',
  empty: 'There are no payments yet. The next one appears here.',
  order: (id) => `Order ${id}`,
  sound: 'Sound and voice',
  received: (amount) => `Received ${amount}`,
  dong: (amount) => `${amount} dong`,
}
