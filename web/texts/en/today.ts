// Tests: tests/e2e/browser/dashboard.test.ts
import type { Messages } from '../vi.ts'

export const today: Messages['today'] = {
  title: 'Today',
  in: 'Money in',
  out: 'Money out',
  before: (amount) => `Same weekday last week: ${amount}`,
  days: 'Money in and out, last 14 days',
  noMoney: 'No money in or out in these 14 days.',
  table: 'Show as a table',
  day: 'Day',
  checklist: {
    title: 'First steps',
    hide: 'Hide',
    done: 'All done. From now on your shop knows at once when money arrives.',
    ticked: 'Done',
    open: 'To do',
    steps: {
      text: 'Send a bank text as a test',
      call: 'See a webhook call with a valid signature',
      source: 'Connect a phone or a mailbox',
      shop: 'Name the prefix of your shop’s order ids, such as DH',
      webhook: 'Add the webhook of your shop',
    },
    links: {
      text: 'Try it',
      call: 'Send to the test inbox',
      source: 'Connect a phone',
      shop: 'Add a shop',
      webhook: 'Add a webhook',
    },
  },
  attention: 'Needs your attention',
  calm: 'Everything is running well.',
  failed: (count, isOne) => `${count} ${isOne ? 'transaction was' : 'transactions were'} not delivered to the shop`,
  repeated: (count, isOne) =>
    `${count} ${isOne ? 'delivery has' : 'deliveries have'} not reached the shop yet. Baoco keeps trying`,
  untrusted: (count, isOne) =>
    `${count} ${isOne ? 'text that looks like a bank’s was' : 'texts that look like a bank’s were'} ignored in the last 24 hours, because the sender or the app is not known`,
  open: 'Open',
  see: {
    undelivered: 'See what is undelivered',
    webhook: 'See this webhook',
    sources: 'See the sources',
    unread: 'See what could not be read',
    transaction: 'See this transaction',
    unmatched: 'See the transactions without a match',
  },
  confirm: 'New bank account',
  confirmText: (bank, number) =>
    `A notification shows the account ${bank} ${number}. Payments to it wait until you confirm it.`,
  unconfirmed: (count, isOne) =>
    isOne ? `${count} more account waits for your confirmation` : `${count} more accounts wait for your confirmation`,
  latest: 'Latest transactions',
  all: 'Show all',
  alerts: {
    endpoint_failing: 'A webhook is failing',
    source_silent: 'A source is silent',
    quota_80: "This month's quota is nearly used up",
    mailbox_paused: 'A mailbox is paused',
    mailbox_failing: 'A mailbox cannot be read',
    mail_skipped: 'A mail could not be read',
    disk_low: 'The disk is nearly full',
    clock_differs: 'A clock is wrong',
    stream_parked: 'An event cannot be used',
    store_went_back: 'The event store went back to an older state',
    rule_paused: 'A webhook is paused',
    new_bank_account: 'New account number',
    unsafe_forwarder: "The forwarder app's template is unsafe",
    old_notification: 'An old notification has arrived',
    contradicting_copy: 'Two notifications of one payment differ',
  },
}
