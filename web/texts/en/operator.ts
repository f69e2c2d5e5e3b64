// Tests: tests/e2e/browser/dashboard.test.ts
import type { Messages } from '../vi.ts'

export const operator: Messages['operator'] = {
  title: 'Operator',
  lead: 'The status of the whole installation. Only the operator sees this page.',
  verdict: {
    good: 'Everything runs well.',
    disk: (disk, free, state) => {
      const left = free === null ? '' : ` (${free} free)`
      if (state === 'low') return `${disk} is nearly full${left}. When it is full, new notifications are refused.`
      return state === 'waits'
        ? `${disk} is full${left}. Lists and webhooks wait until there is space. Nothing is lost.`
        : `${disk} is full${left}. New notifications are refused until there is space, and phones send them again. What was accepted is not lost.`
    },
    disks: {
      data_folder: 'The disk of the data folder',
      postgres: 'The disk of Postgres',
      event_store: 'The disk of EventStoreDB',
    },
    mails: (count, isOne) =>
      `${count} ${isOne ? 'mail' : 'mails'} could not be sent yet. The log line mail.failed says why.`,
    overdue: (count, isOne) =>
      `${count} ${isOne ? 'delivery is' : 'deliveries are'} more than 30 seconds late without a reason to wait.`,
    behind: (names) => `Events are not processed yet: ${names}.`,
    parked: (count, isOne) =>
      `${count} ${isOne ? 'stream has an event' : 'streams have events'} that cannot be used, and must wait. Run baoco parked list to see them.`,
    faults: (count, isOne) => `Audits found ${count} ${isOne ? 'fault' : 'faults'} in the event store.`,
    breakers: (count, isOne) => `${count} ${isOne ? 'address is' : 'addresses are'} cut off after many failures.`,
  },
  processes: {
    title: 'Processes',
    empty: 'No process is reporting.',
    since: 'since',
    from: (address) => `connected from ${address}`,
    clock: (process, seconds, isAhead) =>
      `The clock of ${process} is ${seconds} s ${isAhead ? 'ahead of' : 'behind'} the database's.`,
    leases: 'Work that only one process does',
    leaseNames: {
      'planned work': 'Scheduled work',
      reactions: 'Reactors',
      'bulk retries': 'Bulk retries',
      'projector main': 'Projector of the lists',
      'projector search': 'Projector of the search',
    },
    holder: (process) => process,
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
      manual: 'Manual retries',
      bulk: 'Bulk retries',
    },
    empty: 'No delivery waits.',
  },
  projectors: {
    title: 'Lists and statistics',
    names: { main: 'Lists', search: 'Search' },
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
  audit: {
    title: 'Audit of the events',
    good: 'No faults',
    faults: (count, isOne) => `${count} ${isOne ? 'fault' : 'faults'}`,
    checked: (events, transactions) => `${events} events, ${transactions} transactions`,
    whole: 'Everything was last checked',
    never: 'There has been no audit yet.',
    how: 'Run baoco audit, especially after you restored a backup.',
  },
  server: {
    title: 'Versions and disk',
    baoco: 'Baoco',
    postgres: 'Postgres',
    tables: 'Tables',
    node: 'Node.js',
    database: 'Database',
    free: 'Free on the disk',
    freeOn: { postgres: 'Free on the disk of Postgres', event_store: 'Free on the disk of EventStoreDB' },
    schemas: { store: 'Event store', read_model: 'Lists', search_model: 'Search', ops: 'Operations' },
  },
  accounts: {
    title: 'Accounts',
    caption: (count, isOne) => `${count} ${isOne ? 'account' : 'accounts'}`,
    email: 'Email',
    plan: 'Plan',
    state: 'State',
    locked: 'Locked',
    operator: 'Operator',
    unlocked: 'Not locked',
    number: (id) => `no. ${id}`,
    until: (day) => `until ${day}`,
    unlock: 'To unlock one, run baoco account unlock EMAIL.',
  },
  outbox: {
    title: 'Unsent mails',
    text: 'Without a mail server all mails stay here. A mail may contain a link that gives access to an account, so pass it on only to the owner of its address.',
    empty: 'There are no unsent mails.',
    to: (email) => `To ${email}`,
    tried: (times, isOne) => `${times} ${isOne ? 'attempt' : 'attempts'} to send it`,
    more: (count) => `Show ${count} more mails`,
  },
}
