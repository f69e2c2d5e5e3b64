/** Accounts at banks that notifications have named; each can be switched off. */
import type Router from '@koa/router'
import { z } from 'zod'
import type { BankAccount } from '../../../domain/account/account.ts'
import { changeBankAccount } from '../../../domain/account/bank-accounts.ts'
import { answer, idOf, occasionOf, type ApiMiddleware, type ApiState, type Handler } from '../context.ts'
import { body } from '../input.ts'
import { settled, type ApiParts } from '../parts.ts'
import { readOnly, withoutReadOnly } from '../requests.ts'

const READ_ONLY = ['id', 'bank_code', 'account_number']

export const BankAccountChange = z
  .strictObject({ ...readOnly(...READ_ONLY), is_active: z.union([z.literal(0), z.literal(1)]).optional() })
  .transform((given) => withoutReadOnly(given, READ_ONLY))

const presentBankAccount = ({ bank_account_id, bank_code, account_number, is_active }: BankAccount) => ({
  id: bank_account_id,
  bank_code,
  account_number,
  is_active,
})

export const bankAccountRoutes = (router: Router<ApiState>, parts: ApiParts, signedIn: ApiMiddleware): void => {
  const listBankAccounts: ApiMiddleware = (context) =>
    answer(context, [...context.state.account.bank_accounts.values()].map(presentBankAccount).reverse())

  const updateBankAccount: Handler<z.infer<typeof BankAccountChange>> = async (context, { is_active }) => {
    const bank_account_id = idOf(context)
    const changed = await parts.accounts.change(occasionOf(context, parts.clock), (account) =>
      changeBankAccount(account, { bank_account_id, is_active }),
    )
    await settled(parts, changed)
    answer(context, presentBankAccount(changed.account.bank_accounts.get(bank_account_id)!))
  }

  router.get('/api/bank-accounts', signedIn, listBankAccounts)
  router.put('/api/bank-accounts/:id', signedIn, body(BankAccountChange, updateBankAccount))
}
