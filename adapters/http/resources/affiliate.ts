// Tests: tests/integration/http/affiliate.test.ts
/** Affiliate links and the earnings from them. */
import { z } from 'zod'
import {
  balanceOf,
  type Link as LinkState,
  type Withdrawal as WithdrawalState,
} from '../../../domain/affiliate/affiliate.ts'
import { openAffiliates } from '../../../workflows/affiliate/affiliates.ts'
import { occasionOf, type ApiContext } from '../context.ts'
import { body } from '../openapi/input.ts'
import { created, data } from '../openapi/answers.ts'
import type { Guard } from '../middleware/guard.ts'
import { refuses, type Operations } from '../openapi/operations.ts'
import type { ApiParts } from '../parts.ts'
import type { Limited } from '../middleware/rate-limits.ts'
import { bankCode, line } from './request-fields.ts'
import { id, moment, unsignedDecimal } from '../../../domain/fields.ts'

const LinkCreation = z.strictObject({ label: line(100) })

const BankChange = z.strictObject({
  bank_code: bankCode,
  account_number: z
    .string()
    .trim()
    .regex(/^[A-Za-z0-9]{4,30}$/, 'An account number is 4 to 30 letters or digits.'),
  account_name: line(100),
})

/** The amount is in whole dong. */
const WithdrawalRequest = z.strictObject({ amount: z.int().min(1, 'An amount is at least 1 dong.') })

const Bank = z
  .strictObject({ bank_code: z.string(), account_number: z.string(), account_name: z.string() })
  .meta({ id: 'AffiliateBank' })
const Link = z.strictObject({ id, label: z.string(), code: z.string(), url: z.string() }).meta({ id: 'AffiliateLink' })
const Withdrawal = z
  .strictObject({ id, amount: unsignedDecimal, status: z.literal('requested'), ...Bank.shape, created_at: moment })
  .meta({ id: 'Withdrawal' })
const Summary = z
  .strictObject({
    balance: unsignedDecimal,
    earned: unsignedDecimal,
    withdrawn: unsignedDecimal,
    bank: Bank.nullable(),
    links: z.array(Link),
    withdrawals: z.array(Withdrawal),
  })
  .meta({ id: 'Affiliate' })

const presentLink =
  (baseUrl: string) =>
  ({ link_id, label, code }: LinkState): z.output<typeof Link> => ({
    id: link_id,
    label,
    code,
    url: `${baseUrl}/register?ref=${encodeURIComponent(code)}`,
  })

const presentWithdrawal = ({ withdrawal_id, requested_at, ...rest }: WithdrawalState): z.output<typeof Withdrawal> => ({
  id: withdrawal_id,
  status: 'requested',
  ...rest,
  created_at: requested_at,
})

interface Steps {
  signedIn: Guard
  limited: Limited
}

export const affiliateRoutes = (operations: Operations, parts: ApiParts, { signedIn, limited }: Steps): void => {
  const { clock, settings } = parts
  const { get, post, put } = operations.of('Affiliate', signedIn)
  const affiliates = openAffiliates(parts)
  const linkOf = presentLink(settings.baseUrl)

  const showSummary = async (context: ApiContext): Promise<z.output<typeof Summary>> => {
    const affiliate = await affiliates.find(context.state.account.user_id)
    const { earned, withdrawn, bank, links, withdrawals } = affiliate
    return {
      balance: balanceOf(affiliate),
      earned,
      withdrawn,
      bank,
      links: links.map(linkOf).reverse(),
      withdrawals: withdrawals.map(presentWithdrawal).reverse(),
    }
  }

  const addLink = async (context: ApiContext, { label }: z.infer<typeof LinkCreation>) =>
    linkOf(await affiliates.createLink(occasionOf(context, clock), label))

  const setBank = (context: ApiContext, bank: z.infer<typeof BankChange>) =>
    affiliates.setBank(occasionOf(context, clock), bank)

  const withdraw = async (context: ApiContext, { amount }: z.infer<typeof WithdrawalRequest>) =>
    presentWithdrawal(await affiliates.withdraw(occasionOf(context, clock), amount))

  get('/api/affiliate', 'Get affiliate links and earnings', data(Summary), showSummary)
  post('/api/affiliate/links', 'Create an affiliate link', limited('links'), body(LinkCreation), created(Link), addLink)
  put('/api/affiliate/bank', 'Set the payout account', limited('bank'), body(BankChange), data(Bank), setBank)
  post(
    '/api/affiliate/withdraw',
    'Request a payout',
    limited('withdraw'),
    body(WithdrawalRequest),
    refuses('CONFLICT'),
    created(Withdrawal),
    withdraw,
  )
}
