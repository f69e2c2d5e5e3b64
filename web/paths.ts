// Tests: tests/integration/http/dashboard.test.ts
/** The addresses of the dashboard's screens. The server answers them with the page; any other address is a 404 page. */

export const PATHS = {
  today: '/',
  transactions: '/transactions',
  transaction: '/transactions/:id',
  undelivered: '/undelivered',
  webhooks: '/webhooks',
  newWebhook: '/webhooks/new',
  webhook: '/webhooks/:id',
  changeWebhook: '/webhooks/:id/edit',
  tryIt: '/try',
  sources: '/sources',
  unread: '/unread',
  exports: '/exports',
  settings: '/settings',
  plan: '/settings/plan',
  operator: '/operator',
  login: '/login',
  register: '/register',
  verifyEmail: '/verify-email',
  forgotPassword: '/forgot-password',
  resetPassword: '/reset-password',
} as const

/** The screen at the counter. Its address holds a token, so the server answers it apart (`adapters/http/resources/counter.ts`). */
export const COUNTER_PATH = '/counter/:token'

/** The parts of long screens that links lead to. */
export const PARTS = {
  shops: `${PATHS.settings}#shops`,
  banks: `${PATHS.settings}#banks`,
  senders: `${PATHS.settings}#senders`,
  recipes: `${PATHS.sources}#recipes`,
  phones: `${PATHS.sources}#phones`,
  mailboxes: `${PATHS.sources}#mailboxes`,
} as const

export type Screen = keyof typeof PATHS

const ID = '[1-9]\\d{0,14}'

/** @param path  such as `/transactions/7` @param pattern  of a screen, such as `/transactions/:id` */
export const fits = (path: string, pattern: string): boolean => new RegExp(`^${pattern.replace(':id', ID)}$`).test(path)

/** @param path  of a request, such as `/transactions/7` */
export const isScreen = (path: string): boolean => Object.values(PATHS).some((pattern) => fits(path, pattern))

/** @param text  where an address has an id @returns null if it is none */
export const idIn = (text: string | undefined): number | null =>
  text !== undefined && new RegExp(`^${ID}$`).test(text) ? Number(text) : null
