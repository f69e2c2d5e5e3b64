// Tests: tests/integration/http/languages.test.ts
/** Mails and alerts in English. */
import { closed, formatsOf } from './formats.ts'
import type { Texts } from './types.ts'

const shown = formatsOf('en')

const lines = (...all: string[]) => `${all.join('\n')}\n`

const UNSAFE = {
  duplicate_key: 'its JSON has a field twice',
  two_names:
    'its JSON gives one field under two names with different values, or it gives a bank’s app but a person as the sender',
  broken_json: 'it is not valid JSON, or no field of it contains a text',
}

const inWords = (minutes: number): string => {
  const hours = Math.round(minutes / 60)
  return hours < 48 ? `${hours} hours` : `${Math.round(hours / 24)} days`
}

export const en: Texts = {
  letters: {
    verify_email: (url) => ({
      subject: 'Confirm your email address',
      text: lines(
        'Somebody opened a Baoco account with this email address.',
        'If it was you, open this link within 24 hours to confirm the address:',
        '',
        url,
        '',
        'If it was not you, do nothing: the account cannot be used until the link is opened.',
      ),
    }),
    reset_password: (url) => ({
      subject: 'Choose a new password',
      text: lines(
        'Somebody asked for a new password for the Baoco account with this email address.',
        'If it was you, open this link within one hour to choose one:',
        '',
        url,
        '',
        'A new password ends every login of the account. The API key stays valid, unless you choose “Somebody else had access to my account”. If it was not you, do nothing: your password stays as it is.',
      ),
    }),
    confirmAgain: (url, forgot) => ({
      subject: 'Confirm your email address',
      text: lines(
        'This email address was registered for a Baoco account again. The newest registration counts, with its password.',
        'Earlier links to confirm the address no longer work. If it was you, open this link within 24 hours:',
        '',
        url,
        '',
        'If you registered only once, somebody else registered your address too and knows that password. Then do not open the link.',
        `Choose a password of your own instead: ${forgot}`,
      ),
    }),
    registeredAlready: (login, forgot) => ({
      subject: 'You already have an account',
      text: lines(
        'Somebody tried to open a Baoco account with this email address. The address already has one, so nothing was changed.',
        '',
        `Log in:              ${login}`,
        `Forgotten password:  ${forgot}`,
      ),
    }),
    quota: ({ email, user_id, plan, month, transactions, limit }) => ({
      subject: `Baoco: ${email} has used ${Math.floor((transactions * 100) / limit)}% of this month's transactions`,
      text:
        `${email} (account ${user_id}) has had ${shown.count(transactions)} transactions in ${shown.month(month)}. Its plan, ${plan}, ` +
        `includes ${shown.count(limit)} a month.\n\nAbove the quota, webhooks are still sent, but later.\n`,
    }),
    diskFull: {
      refusing: {
        subject: 'Baoco: the disk is full, and nothing new is accepted',
        text: lines(
          'Baoco refuses new notifications, because the disk of its data is full. Phones send them again later.',
          'Nothing that was accepted is lost. Free some space or enlarge the disk: Baoco then continues by itself.',
        ),
      },
      waiting: {
        subject: 'Baoco: the disk of Postgres is full, and webhooks wait',
        text: lines(
          'The disk of Postgres is full. Baoco accepts notifications, but lists and webhooks wait.',
          'Nothing is lost. Free some space or enlarge the disk: Baoco then continues by itself.',
        ),
      },
    },
    alert: {
      subjects: {
        endpoint_failing: 'an endpoint keeps failing',
        source_silent: 'a source has gone silent',
        quota_80: 'most of this month’s transactions are used',
        rule_paused: 'a webhook rule was paused',
        new_bank_account: 'a new bank account was seen',
        contradicting_copy: 'two notifications of one payment differ',
        old_notification: 'an old notification was recorded and not sent',
        unsafe_forwarder: 'a forwarder app sends unsafe bodies',
        mailbox_paused: 'a mailbox is no longer read',
        mailbox_failing: 'a mailbox cannot be read',
        mail_skipped: 'a mail could not be read',
        disk_low: 'the disk is nearly full',
        stream_parked: 'an event cannot be used',
        clock_differs: 'a clock is wrong',
        store_went_back: 'the event store lost transactions',
      },
      link: (url) => `Confirm it here, within seven days:\n${url}`,
      since: (at, end) =>
        `Since ${shown.moment(at)}.${end === 'mail' ? ' A mail follows when it is over.' : end === 'today' ? ' The screen Today shows this alert until it is over.' : ''}`,
      ended: (endpoint, until) => ({
        subject: 'Baoco: an endpoint is working again',
        text: `The endpoint ${endpoint} has been working again since ${shown.moment(until)}. The deliveries that waited for it are being sent.\n`,
      }),
    },
  },
  alerts: {
    rulePaused: (rule, name) =>
      `The webhook rule “${name}” (${rule}) was paused: its endpoint answered that it is gone (410). ` +
      'Waiting deliveries continue when you correct its URL and set it active again. Payments that arrive before are not sent: match them again afterwards.',
    mailboxPaused: (address, reason) =>
      `The mailbox ${address} was paused: ${closed(reason)} ` +
      'Its mails are not being read. Check the server, then edit the mailbox on the page Sources and save it, or set the mail account active again with the API.',
    mailboxFailing: (username, host, reason) =>
      `The mailbox ${username} on ${host} cannot be read. ${closed(reason)} Its mails are not lost: they are read as soon as it works again. ` +
      'Check that the server can be reached and that the password is right (some providers need an app password), then test the mail account.',
    mailSkipped: (notification, address, facts) =>
      `The server of the mailbox ${address} lists a mail, but does not return it (${facts}). Baoco tried several times, then skipped it. ` +
      `Notification ${notification} records that. If the mail is from your bank, compare it with your transactions.`,
    diskLow: (freeMb, share, leastMb) =>
      `The disk of the data folder has ${shown.count(freeMb)} MB left, ${shown.percent(share)}. ` +
      `Below ${shown.count(leastMb)} MB, Baoco refuses new notifications, and phones send them again later. Free some space or enlarge the disk.`,
    serverDiskLow: (server, place, freeMb, share) =>
      `The disk of ${server}${place === null ? '' : ` (${place})`} has ${shown.count(freeMb)} MB left, ${shown.percent(share)}. ` +
      'When that disk is full, Baoco refuses new notifications, and phones send them again later. Free some space or enlarge the disk.',
    streamParked: (stream, reason) =>
      `An event of the stream ${stream} cannot be used (${reason}). The later events of this stream wait; everything else goes on. ` +
      'If a newer release wrote the event, update all processes: it is then retried by itself. ' +
      'baoco parked list shows the event, and baoco parked skip makes Baoco ignore it for good.',
    clockDiffers: (machine, seconds, isAhead) =>
      `The clock of ${machine} is ${seconds} s ${isAhead ? 'ahead of' : 'behind'} the clock of the database. One of them is wrong. ` +
      'Times of payments, retries and logins are then wrong too, and shops may refuse webhooks. Synchronise both clocks, such as with NTP.',
    bankAccountSeen: (bank, ending, waits) =>
      `A notification named a bank account that was not seen before: ${bank}, ending in ${ending}. ` +
      (waits
        ? 'Payments to it wait: nothing is sent until you confirm the number. ' +
          'If the account is yours, confirm it in the list of bank accounts or with the button behind the link in the mail. ' +
          'If it is not yours, switch it off.'
        : 'It counts as yours, because new numbers count during the first 24 hours and while you let Baoco learn them. ' +
          'If it is not yours, switch it off: its transactions are then sent nowhere.'),
    quota: (transactions, limit, month) =>
      `${shown.count(transactions)} of the ${shown.count(limit)} transactions that your plan includes in ${shown.month(month)} are used. ` +
      'Above the limit, webhooks are still sent, but later. A larger plan ends the delay at once.',
    endpointFailing: (endpoint, failures, last) =>
      `The endpoint ${endpoint} keeps failing: ${failures} calls in a row` +
      (last === null ? '' : `, the last with ${typeof last === 'number' ? last : `no answer (${last})`}`) +
      '. Baoco now calls it only every 30 seconds, and the other deliveries wait. They continue as soon as the endpoint answers a call.',
    ruleRefused: (rule, name, calls, status) =>
      `The endpoint of the webhook “${name}” (${rule}) answers, but has accepted none of the last ${calls} calls. The last answer was ${status}. ` +
      'The page Undelivered shows the answers and what to do. Each call is repeated a few times. When the endpoint accepts calls, send again what has failed by then.',
    sourceSilent: (source, minutes) =>
      `${source} has sent nothing for ${inWords(minutes)}, longer than its usual pause. Check that it still runs.`,
    sources: {
      device: (name) => `The phone “${name}”`,
      key: (name) => `The client with the key “${name}”`,
      mailbox: (email) => `The mailbox ${email}`,
      url: 'The app that posts to your personal URL',
    },
    unsafe: (id, why) =>
      `Notification ${id} is not counted: ${UNSAFE[why]}. In such a body, the memo of a transfer could forge a field, and so a payment. ` +
      'Change the template of the app that posts it: send the text as text/plain, and sender or package in the query of the address, ' +
      'as the page Sources shows. If this notification is genuine, confirm it on the page Other texts, or with POST ' +
      `/api/notifications/${id}/reread {"confirmed":true}.`,
    contradicting: (first, second, counts, other) =>
      `Transactions ${first} and ${second} are notifications of one payment, but show different order ids: ` +
      `${counts} and ${other}. Only ${counts} counts: nothing is sent for ${other}. Look up in your bank's ` +
      'statement which order was paid, and correct the orders in your shop if necessary.',
    cameBack: (first, second, order) =>
      `Transactions ${first} and ${second} are notifications of one payment. The first one counts for ${order}, but the ` +
      'second one says that the money came back: a transfer of your own could not be delivered, or was reversed. Look up in ' +
      `your bank's statement whether ${order} was paid, and correct the order in your shop if necessary.`,
    old: (transaction) =>
      `Transaction ${transaction} was recorded from a notification that was old when it arrived. Nothing was sent to your ` +
      'shop for it, nor for other old notifications of the same source. If your shop does not know the payment yet, match ' +
      'the transaction again. If you did not expect old notifications, check the date and time of the phone.',
    storeWentBack: (missing, listed, isCut) =>
      'The event store contains an older state than before. ' +
      (missing > 0
        ? `${missing} known ${missing === 1 ? 'transaction is' : 'transactions are'} missing: ${listed}${isCut ? ', … (the log has all)' : ''}.`
        : 'It is not known which transactions are missing.') +
      " Webhooks for them may have been sent. If there is a later backup, stop Baoco and restore it. Otherwise compare your orders with the bank's statements. Ids of missing transactions are not used again.",
  },
}
