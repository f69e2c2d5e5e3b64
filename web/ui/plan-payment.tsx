// Tests: tests/e2e/browser/dashboard.test.ts
/** How an ordered plan is paid: a QR code, or the parts of the transfer, each to copy. */
import type { Account } from '../api/types.ts'
import { bankName } from '../app/bank-codes.ts'
import { day, money } from '../app/localised.ts'
import { texts } from '../app/language.ts'
import type { OpenOrder } from '../app/plan-order.ts'
import { Copyable } from './basics.tsx'
import { Pairs } from './pairs.tsx'
import { QrCode } from './source-state.tsx'

export const PlanPayment = ({ of: { plan, order }, leave }: { of: OpenOrder; leave: () => void }) => {
  const t = texts.value.plan
  const { bank_code, account_number, account_name, amount, order_id } = order
  const rows = [
    [t.bank, bankName(bank_code), bankName(bank_code)],
    [t.number, account_number, account_number],
    [t.holder, account_name, account_name],
    // Banks' apps take the digits.
    [t.amount, amount.replace(/\.00$/, ''), money(amount, 'VND')],
    [t.memo, order_id, order_id],
  ] as const
  return (
    <section class="block stack">
      <h2>{t.pay(plan)}</h2>
      <p>{t.how(order_id)}</p>
      <div class="payment">
        <Pairs rows={rows.map(([label, text, shown]) => [label, <Copyable text={text} shown={shown} of={label} />])} />
        <QrCode svg={order.qr_svg} label={t.qr(order_id)} />
      </div>
      <div class="notice waiting stack tight">
        <p>{t.waiting}</p>
        <p>{t.late}</p>
      </div>
      <div>
        <button class="button" type="button" onClick={leave}>
          {t.other}
        </button>
      </div>
    </section>
  )
}

/** @param of  the account with its new plan */
export const PlanPaid = ({ of: { plan, plan_expires_at } }: { of: Account }) => {
  const t = texts.value.plan
  return (
    <section class="notice done stack tight">
      <h2>{t.paid}</h2>
      <p>{t.paidText(plan, plan_expires_at && day(plan_expires_at))}</p>
    </section>
  )
}
