// Tests: tests/integration/http/affiliate.test.ts
/** Events of affiliate earnings, in VND: stream `affiliate-<user>`. */
import { z } from 'zod'
import { id, moment, unsignedDecimal } from '../fields.ts'

const bank = { bank_code: z.string(), account_number: z.string(), account_name: z.string() }

export const affiliateEvents = {
  AffiliateLinkCreated: z.object({ user_id: id, link_id: id, label: z.string(), code: z.string(), created_at: moment }),
  /** The bank account that withdrawals are paid to. */
  AffiliateBankSet: z.object({ user_id: id, ...bank }),
  CommissionEarned: z.object({
    user_id: id,
    amount: unsignedDecimal,
    /** The user who paid for a plan. */
    referred_user_id: id,
    plan_order_id: id,
    /** The id of the payment's event. */
    caused_by: z.string(),
  }),
  WithdrawalRequested: z.object({
    user_id: id,
    withdrawal_id: id,
    amount: unsignedDecimal,
    ...bank,
    requested_at: moment,
  }),
}

type Schemas = typeof affiliateEvents
export type AffiliateEventData = { [Type in keyof Schemas]: z.infer<Schemas[Type]> }
export type AffiliateEvent = { [Type in keyof Schemas]: { type: Type; data: AffiliateEventData[Type] } }[keyof Schemas]

export const affiliateStream = (userId: number): string => `affiliate-${userId}`
