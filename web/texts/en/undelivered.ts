// Tests: tests/e2e/browser/undelivered.test.ts
import type { Messages } from '../vi.ts'

export const undelivered: Messages['undelivered'] = {
  title: 'Undelivered',
  lead: 'Transactions that have not reached your shop, by webhook and kind of error, oldest first.',
  views: 'Views',
  view: { all: 'All', failed: 'Failed', pending: 'Waiting', success: 'Delivered' },
  error: 'Kind of error',
  calm: 'No transaction has failed, and none waits to be sent.',
  emptyFilter: 'No undelivered transaction matches this filter.',
  incomplete: 'There are so many that only the newest are counted. Choose fewer days.',
  count: (count, isOne) => `${count} ${isOne ? 'transaction' : 'transactions'}`,
  deleted: (id) => `Webhook ${id} was deleted`,
  deletedText:
    'Nothing can be sent to this webhook now. Open a transaction to match it again with the current webhooks.',
  untried: [
    'Not sent yet',
    'The webhook is paused, sends one by one or has a limit per minute; its address is cut off or asked to wait; or the monthly quota is used up.',
  ],
  paused: 'The webhook is paused: transactions are kept until you switch it on.',
  cutOff: 'The address keeps failing, so it is cut off. Baoco keeps trying, and sends as soon as the address answers.',
  oldest: 'Oldest',
  next: 'Next attempt',
  see: 'Show the list',
  seeOf: (name) => `Show the list: ${name}`,
  again: 'Send again',
  now: 'Send now',
  againOf: (name) => `Send again: ${name}`,
  nowOf: (name) => `Send now: ${name}`,
  everything: {
    failed: 'Send all again',
    pending: 'Send all now',
    success: 'Send delivered ones again',
  },
  success: {
    text: 'For a shop that has lost its data. Transactions that were delivered in the days you choose are sent once more, with the same id and the header X-Webhook-Replay. The shop must ignore what it has already processed.',
    choose: 'First choose the first day in “From”.',
  },
  ask: {
    title: {
      failed: 'Send the failed transactions again?',
      pending: 'Send now, without waiting?',
      success: 'Send once more?',
    },
    counting: 'Counting…',
    none: 'No transaction matches now.',
    count: (count, isOne) => `${count} ${isOne ? 'transaction' : 'transactions'} will be sent, oldest first.`,
    takes: (span) => `If the shop answers, this takes about ${span}.`,
    soon: 'If the shop answers, this takes less than a minute.',
    failed: 'They are sent only to webhooks that have not received them. Nothing that was delivered is sent twice.',
    pending: 'The waiting attempts are made now. The schedule of the retries does not change.',
    success: 'The shop receives transactions that it has already received.',
    start: (count, isOne) => `Send ${count} ${isOne ? 'transaction' : 'transactions'}`,
  },
  job: {
    title: 'Progress',
    progress: (done, total) => `${done} of ${total} transactions queued`,
    done: (total, isOne) =>
      isOne
        ? '1 transaction is queued. Its outcome appears when the shop answers.'
        : `${total} transactions are queued. Outcomes appear as the shop answers.`,
    cancelled: (done, total) => `Stopped after ${done} of ${total} transactions. What was queued is still sent.`,
    failed: (count, isOne) =>
      `${count} ${isOne ? 'transaction' : 'transactions'} could not be queued: the status has changed, or the webhook was deleted.`,
    cancel: 'Stop',
    hide: 'Hide',
    started: 'Sending has started.',
  },
}
