// Tests: tests/e2e/browser/dashboard.test.ts
import type { Messages } from '../vi.ts'

export const operator: Messages['operator'] = {
  title: 'Operator',
  lead: 'The status of the whole installation. Only the operator sees this page.',
  verdict: {
    good: 'Everything runs well.',
    overdue: (count, isOne) =>
      `${count} ${isOne ? 'delivery is' : 'deliveries are'} more than 30 seconds late without a reason to wait.`,
    behind: (names) => `Events are not processed yet: ${names}.`,
    parked: (count, isOne) =>
      `${count} ${isOne ? 'stream has an event' : 'streams have events'} that cannot be used, and must wait. See baoco parked list.`,
    breakers: (count, isOne) => `${count} ${isOne ? 'address is' : 'addresses are'} cut off after many failures.`,
  },
  processes: {
    title: 'Processes',
    empty: 'No process reports that it runs.',
    since: 'since',
    from: (address) => `connected from ${address}`,
    leases: 'Work of only one process',
    noLeases: 'No process holds any work yet.',
    unknown: 'unknown process',
    mailboxes: (count, isOne) => `${count} ${isOne ? 'mailbox is' : 'mailboxes are'} read`,
  },
  queues: {
    title: 'Delivery queue',
    caption: 'Deliveries by lane',
    lane: 'Lane',
    open: 'Open',
    due: 'Due',
    overdue: 'Late',
    lanes: {
      first: 'First attempts',
      retry: 'Retries',
      manual: 'Retries by hand',
      bulk: 'Bulk retries',
    },
    empty: 'No delivery waits.',
  },
  projectors: {
    title: 'Lists and statistics',
    behind: 'Catching up',
    good: 'Up to date',
    last: 'Last event',
    none: 'no events yet',
  },
  breakers: {
    title: 'Addresses that are cut off',
    empty: 'No address is cut off.',
    of: (user) => `Account ${user}`,
  },
  server: {
    title: 'Versions and disk',
    baoco: 'Baoco',
    postgres: 'Postgres',
    tables: 'Tables',
    node: 'Node.js',
    database: 'Database',
    schemas: { store: 'Event store', read_model: 'Lists', search_model: 'Search', ops: 'Operations' },
  },
  accounts: {
    title: 'Accounts',
    caption: (count, isOne) => `${count} ${isOne ? 'account' : 'accounts'}`,
    email: 'E-mail',
    plan: 'Plan',
    state: 'State',
    locked: 'Locked',
    operator: 'Operator',
    normal: 'Normal',
    until: (day) => `until ${day}`,
    unlock: 'To unlock one, run baoco account unlock EMAIL.',
  },
  outbox: {
    title: 'Unsent mails',
    text: 'Without a mail server all mails stay here. A mail may hold a link that opens an account, so show it to nobody else.',
    empty: 'There are no unsent mails.',
    to: (email) => `To ${email}`,
    more: (count) => `Show ${count} more mails`,
  },
}
