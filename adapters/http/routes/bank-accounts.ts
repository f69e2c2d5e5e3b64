/** Accounts at banks that notifications have named; each can be switched off. */
import { z } from 'zod'
import type { BankAccount as BankAccountState } from '../../../domain/account/account.ts'
import { changeBankAccount } from '../../../domain/account/bank-accounts.ts'
import { idOf, occasionOf, type ApiContext } from '../context.ts'
import { body } from '../input.ts'
import { data } from '../openapi/answers.ts'
import type { Part } from '../openapi/operation.ts'
import { type Operations } from '../openapi/operations.ts'
import { settled, type ApiParts } from '../parts.ts'
import { readOnly, withoutReadOnly } from '../requests.ts'

const READ_ONLY = ['id', 'bank_code', 'account_number']

const BankAccountChange = z
  .strictObject({ ...readOnly(...READ_ONLY), is_active: z.union([z.literal(0), z.literal(1)]).optional() })
  .transform((given) => withoutReadOnly(given, READ_ONLY))

const BankAccount = z
  .strictObject({
    id: z.int().positive(),
    bank_code: z.string(),
    account_number: z.string(),
    is_active: z.union([z.literal(0), z.literal(1)]),
  })
  .meta({ id: 'BankAccount' })

const presentBankAccount = ({
  bank_account_id,
  bank_code,
  account_number,
  is_active,
}: BankAccountState): z.infer<typeof BankAccount> => ({
  id: bank_account_id,
  bank_code,
  account_number,
  is_active,
})

export const bankAccountRoutes = (operations: Operations, parts: ApiParts, signedIn: Part): void => {
  const { get, put } = operations.of('Bank accounts')

  const listBankAccounts = (context: ApiContext) =>
    [...context.state.account.bank_accounts.values()].map(presentBankAccount).reverse()

  const updateBankAccount = async (context: ApiContext, { is_active }: z.infer<typeof BankAccountChange>) => {
    const bank_account_id = idOf(context)
    const changed = await parts.accounts.change(occasionOf(context, parts.clock), (account) =>
      changeBankAccount(account, { bank_account_id, is_active }),
    )
    await settled(parts, changed)
    return presentBankAccount(changed.account.bank_accounts.get(bank_account_id)!)
  }

  get('/api/bank-accounts', 'List the bank accounts', signedIn, data(z.array(BankAccount)), listBankAccounts)
  put('/api/bank-accounts/:id', 'Switch one', signedIn, body(BankAccountChange), data(BankAccount), updateBankAccount)
}
