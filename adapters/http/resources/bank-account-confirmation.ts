// Tests: tests/attack/new-bank-accounts.test.ts
/** Confirms a bank account by the link in the alert mail. GET shows the page and only POST confirms, as mail scanners open links. */
import { z } from 'zod'
import type { BankAccount } from '../../../domain/account/account.ts'
import { confirmBankAccount, shownDigits } from '../../../domain/account/bank-accounts.ts'
import { Refused } from '../../../domain/errors.ts'
import { CONFIRMATION_PAGE, confirmationLinks } from '../../../workflows/accounts/confirmation-links.ts'
import {
  askPage,
  CONFIRMATION_POLICY,
  CONFIRMATION_STYLE,
  donePage,
  goneLinkPage,
  type ShownNumber,
} from './bank-account-confirmation-page.ts'
import type { ApiContext } from '../context.ts'
import { text } from '../openapi/answers.ts'
import { query } from '../openapi/input.ts'
import type { Answer } from '../openapi/operation.ts'
import { refuses, type Operations } from '../openapi/operations.ts'
import { settled, type ApiParts } from '../parts.ts'
import { ownCause } from '../../../workflows/support/stamp.ts'
import type { Account } from '../../../domain/account/state.ts'

const Confirmation = z.object({ token: z.string().max(300) })

/** 200, or 404 with a page that says what to do instead. */
const pages: Answer<string> = {
  write: (context, page) => {
    context.set({
      'Cache-Control': 'no-store',
      'Content-Security-Policy': CONFIRMATION_POLICY,
      'Referrer-Policy': 'no-referrer',
      'X-Content-Type-Options': 'nosniff',
    })
    context.type = 'text/html'
    context.response.body = page
  },
  answers: [
    { status: 200, description: 'The confirmation page.', mediaType: 'text/html', schema: null },
    { status: 404, description: 'The link is invalid or has expired.', mediaType: 'text/html', schema: null },
  ],
}

const shown = ({ bank_code, account_number }: BankAccount): ShownNumber => ({
  bank_code,
  ending: shownDigits(account_number),
})

export const bankAccountConfirmationRoutes = (operations: Operations, parts: ApiParts): void => {
  const { accounts, clock, settings } = parts
  const links = confirmationLinks(settings.jwtSecret, settings.baseUrl)
  const { get, post } = operations.of('Bank accounts')

  /** The bank account of a token; null if there is none. @throws {Refused} ACCOUNT_LOCKED */
  const numberOf = async (token: string) => {
    const wanted = links.read(token, clock.now())
    const account = wanted && (await accounts.find(wanted.user_id))
    const number = account?.bank_accounts.get(wanted!.bank_account_id)
    if (!account || !number) return null
    if (account.locked) throw new Refused('ACCOUNT_LOCKED', 'This account is locked.')
    return { user_id: account.user_id, language: account.language, number }
  }

  const gone = (context: ApiContext): string => {
    context.status = 404
    return goneLinkPage()
  }

  const ask = async (context: ApiContext, { token }: z.infer<typeof Confirmation>) => {
    const found = await numberOf(token)
    if (!found) return gone(context)
    return (found.number.confirmed ? donePage : askPage)(shown(found.number), found.language)
  }

  const confirm = async (context: ApiContext, { token }: z.infer<typeof Confirmation>) => {
    const found = await numberOf(token)
    if (!found) return gone(context)
    const { user_id, language, number } = found
    const occasion = { user_id, at: clock.now(), ...ownCause() }
    const decide = (account: Account) => confirmBankAccount(account, number.bank_account_id)
    await settled(parts, accounts.change(occasion, decide))
    return donePage(shown(number), language)
  }

  get(
    `${CONFIRMATION_PAGE}.css`,
    'Get the style sheet of the page that confirms a bank account',
    text<string>('text/css', 'The style.'),
    () => CONFIRMATION_STYLE,
  )
  const locked = refuses('ACCOUNT_LOCKED', 'STORE_UNAVAILABLE')
  get(CONFIRMATION_PAGE, 'Show the page that confirms a bank account', locked, query(Confirmation), pages, ask)
  const mayCompete = refuses('ACCOUNT_LOCKED', 'STORE_UNAVAILABLE', 'CONFLICT')
  post(
    CONFIRMATION_PAGE,
    'Confirm a bank account with the link from the alert',
    mayCompete,
    query(Confirmation),
    pages,
    confirm,
  )
}
