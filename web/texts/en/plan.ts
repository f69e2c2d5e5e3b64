// Tests: tests/e2e/browser/dashboard.test.ts
import type { Messages } from '../vi.ts'

export const plan: Messages['plan'] = {
  title: 'Plans',
  present: 'Your plan',
  all: 'All plans',
  lead: 'One payment covers 365 days. The plan begins when the money arrives.',
  replaces:
    'If you renew, 365 days are added to the end of your plan. A different plan replaces yours at once, and your remaining days are not carried over.',
  free: 'Free of charge',
  price: (amount) => `${amount} for 365 days`,
  limits: {
    transactions: (count) => (count === null ? 'Unlimited transactions' : `${count} transactions a month`),
    devices: (count, isOne) => `${count} ${isOne ? 'phone' : 'phones'}`,
    mailboxes: (count, isOne) => `${count} ${isOne ? 'mailbox' : 'mailboxes'}`,
    webhooks: (count, isOne) => (count === null ? 'unlimited webhooks' : `${count} ${isOne ? 'webhook' : 'webhooks'}`),
    shops: (count, isOne) => `${count} ${isOne ? 'shop' : 'shops'}`,
  },
  buy: (plan) => `Buy ${plan}`,
  renew: (plan) => `Renew ${plan}`,
  later: 'You can buy it when your current plan has ended.',
  ordered: 'The order was placed. Make the transfer to pay for it.',
  pay: (plan) => `Pay for ${plan}`,
  how: (order) =>
    `Scan the QR code with your bank's app, or make exactly this transfer. The memo must contain ${order}, otherwise your plan does not change.`,
  qr: (order) => `VietQR code to pay for ${order}`,
  bank: 'Bank',
  number: 'Account number',
  holder: 'Account holder',
  amount: 'Amount',
  memo: 'Memo',
  waiting: 'Waiting for the money. This page updates by itself when the payment has arrived.',
  late: 'If you have made the transfer, do not order again. If your plan does not change for a long time, send the memo to the operator.',
  other: 'Choose another plan',
  paid: 'Your payment has arrived.',
  paidText: (plan, until) => (until === null ? `Your plan is ${plan}.` : `Your plan is ${plan}, until ${until}.`),
}
