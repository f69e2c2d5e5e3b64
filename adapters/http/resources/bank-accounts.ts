// Tests: tests/attack/new-bank-accounts.test.ts
/** Bank accounts that notifications have named. Each can be confirmed and disabled. */
import { z } from 'zod'
import type { BankAccount as BankAccountState } from '../../../domain/account/account.ts'
import { changeBankAccount, learnBankAccounts } from '../../../domain/account/bank-accounts.ts'
import { idOf, type ApiContext } from '../context.ts'
import { body, noBody } from '../openapi/input.ts'
import { data } from '../openapi/answers.ts'
import type { Guard } from '../middleware/guard.ts'
import { type Operations } from '../openapi/operations.ts'
import { type ApiParts, changeOwnAccount } from '../parts.ts'
import { readOnly, withoutReadOnly } from './request-fields.ts'
import { id, moment } from '../../../domain/fields.ts'

const READ_ONLY = ['id', 'bank_code', 'account_number']

const BankAccountChange = z
  .strictObject({
    ...readOnly(...READ_ONLY),
    is_active: z.union([z.literal(0), z.literal(1)]).optional(),
    confirmed: z
      .union([z.literal(0), z.literal(1), z.boolean()])
      .transform(Boolean)
      .optional()
      .meta({
        description: '1 confirms the number and sends the webhooks that waited for it. A confirmation is final.',
      }),
  })
  .transform((given) => withoutReadOnly(given, READ_ONLY))

const BankAccount = z
  .strictObject({
    id,
    bank_code: z.string(),
    account_number: z.string(),
    is_active: z.union([z.literal(0), z.literal(1)]),
    confirmed: z
      .boolean()
      .meta({ description: 'If false, webhooks for credits to this number wait until you confirm it.' }),
  })
  .meta({ id: 'BankAccount' })

const Learning = z
  .strictObject({ learning_until: moment })
  .meta({ id: 'BankAccountLearning', description: 'New numbers need no confirmation until then.' })

const presentBankAccount = ({ bank_account_id: id, ...rest }: BankAccountState): z.infer<typeof BankAccount> => ({
  id,
  ...rest,
})

export const bankAccountRoutes = (operations: Operations, parts: ApiParts, signedIn: Guard): void => {
  const { get, post, put } = operations.of('Bank accounts', signedIn)

  const listBankAccounts = (context: ApiContext) =>
    [...context.state.account.bank_accounts.values()].map(presentBankAccount).reverse()

  const updateBankAccount = async (context: ApiContext, change: z.output<typeof BankAccountChange>) => {
    const bank_account_id = idOf(context)
    const { bank_accounts } = await changeOwnAccount(parts, context, (account) =>
      changeBankAccount(account, { bank_account_id, ...change }),
    )
    return presentBankAccount(bank_accounts.get(bank_account_id)!)
  }

  const learn = async (context: ApiContext) => {
    const { learning } = await changeOwnAccount(parts, context, learnBankAccounts)
    return { learning_until: learning!.until }
  }

  get('/api/bank-accounts', 'List bank accounts', data(z.array(BankAccount)), listBankAccounts)
  post(
    '/api/bank-accounts/learn',
    'Accept new bank accounts without confirmation for 24 hours',
    noBody,
    data(Learning),
    learn,
  )
  put(
    '/api/bank-accounts/:id',
    'Confirm, enable or disable a bank account',
    body(BankAccountChange),
    data(BankAccount),
    updateBankAccount,
  )
}
