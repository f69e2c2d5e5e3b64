/**
 * Accounts at banks, known from the first notification that names them (decision T6, "New bank account").
 *
 * A number that is first seen while the account learns counts at once. A credit to a number that is first seen later waits until
 * the owner confirms the number. Banks send notifications to any phone or mailbox that a stranger registers with them, so a genuine
 * text does not prove that the money is the owner's. The account learns for 24 hours after its registration, and for 24 hours
 * after each call of `POST /api/bank-accounts/learn`. An owner can also switch a number off. Its transactions are then never sent.
 *
 * Banks mask numbers, and SMS and app mask differently. A printed number counts as a known number if it is identical, or if both
 * show at least four common digits and none contradicts. A printed number that shows one to three digits is a separate number,
 * because one stranger in a thousand has the same digits. A printed number without any digit counts as no number. A stranger whose
 * account at the same bank shows the same digits cannot be distinguished.
 *
 * An account has a limited number of bank accounts, because each notification is compared with all of them. A number beyond the limit
 * is not recorded, and its credits wait, even while the account learns. Only a manual retry sends them.
 */
import { digitsContradict, sharedDigits, TELLING_DIGITS, visibleDigits } from '../dedup/account-digits.ts'
import { DAY_MS } from '../time.ts'
import type { AccountEvent } from './events.ts'
import { invalid, notFound } from './refusals.ts'
import type { Account, BankAccount, Learning } from './state.ts'

/** How long an account accepts new numbers as its owner's, in milliseconds. */
const LEARNING_MS = DAY_MS

/** Bank accounts of an account. */
export const MOST_BANK_ACCOUNTS = 500

/** Number of digits shown of a number that may belong to anybody. */
const SHOWN_DIGITS = 4

/** The end of a number, for mails and pages that other people may read. */
export const shownDigits = (account_number: string): string => account_number.slice(-SHOWN_DIGITS)

/** An account as a notification names it: the number as printed, masked digits included. */
export interface NamedAccount {
  bank_code: string
  account_number: string | null
}

const ofBank = (account: Account, bank_code: string): BankAccount[] =>
  [...account.bank_accounts.values()].filter((each) => each.bank_code === bank_code)

/**
 * The known account that a notification names: the one with the identical printed number, else one that shares enough digits,
 * confirmed ones first. Null if none is known or no number is printed.
 */
export const bankAccountOf = (account: Account, { bank_code, account_number }: NamedAccount): BankAccount | null => {
  if (account_number === null) return null
  const known = ofBank(account, bank_code)
  const same = known.find((each) => each.account_number === account_number)
  if (same) return same
  const fitting = known.filter((each) => sharedDigits(each.account_number, account_number) >= TELLING_DIGITS)
  return fitting.find(({ confirmed }) => confirmed) ?? fitting[0] ?? null
}

/** Whether the owner has switched off the named account. A number with too few digits may be a switched-off one, so it counts too. */
export const isSwitchedOff = (account: Account, named: NamedAccount): boolean => {
  const { bank_code, account_number } = named
  if (account_number === null) return false
  const known = bankAccountOf(account, named)
  if (known) return known.is_active === 0
  return ofBank(account, bank_code).some(
    (each) => each.is_active === 0 && !digitsContradict(each.account_number, account_number),
  )
}

// --- which numbers count ---------------------------------------------------------------------------------------------

/** @param at  a time, ISO 8601 · @returns the learning period that begins then */
export const learningFrom = (at: string): Learning => ({
  from: at,
  until: new Date(Date.parse(at) + LEARNING_MS).toISOString(),
})

/** A period that is extended before its end stays one period. One that begins later was asked for while a clock was ahead, and is void. */
export const extended = (before: Learning, at: string): Learning => {
  const next = learningFrom(at)
  return before.from <= at && at <= before.until ? { from: before.from, until: next.until } : next
}

/** A request before the registration shows that the clock was ahead at the registration. Then only the request's period counts. */
const isLearning = ({ registered_at, learning }: Account, at: Date): boolean => {
  const time = at.getTime()
  const wasAhead = learning !== null && Date.parse(learning.from) < Date.parse(registered_at)
  if (!wasAhead && time < Date.parse(registered_at) + LEARNING_MS) return true
  return learning !== null && time >= Date.parse(learning.from) && time < Date.parse(learning.until)
}

/** Whether a printed number can identify an account. One that shows no digit counts as none. */
const isShown = (account_number: string | null): account_number is string =>
  account_number !== null && visibleDigits(account_number) > 0

/** An account that counts as confirmed without the owner's confirmation: the operator's, which plans are paid to. */
export interface OwnNumber {
  bank_code: string
  account_number: string
}

const isOwn = (account: Account, { bank_code, account_number }: NamedAccount, own: OwnNumber | null): boolean =>
  account.operator &&
  own?.bank_code === bank_code &&
  account_number !== null &&
  sharedDigits(account_number, own.account_number) >= TELLING_DIGITS

/** Whether the account has as many bank accounts as it may have. Numbers are never removed, so this is final. */
export const hasMostBankAccounts = ({ bank_accounts }: Account): boolean => bank_accounts.size >= MOST_BANK_ACCOUNTS

/** Whether a number that is now seen for the first time must be confirmed. */
const wouldWait = (account: Account, named: NamedAccount, at: Date, own: OwnNumber | null): boolean =>
  (hasMostBankAccounts(account) || !isLearning(account, at)) && !isOwn(account, named, own)

/**
 * Whether a credit that names this account must wait until the owner confirms it.
 * @param at  when the notification arrived
 * @param own  the account that plans are paid to
 */
export const isUnconfirmed = (
  account: Account,
  named: NamedAccount,
  at: Date,
  own: OwnNumber | null = null,
): boolean => {
  if (!isShown(named.account_number)) return false
  const known = bankAccountOf(account, named)
  return known ? !known.confirmed : wouldWait(account, named, at, own)
}

// --- changes ---------------------------------------------------------------------------------------------------------

export interface SeenAccount extends NamedAccount {
  bank_account_id: number
  transaction_id: number
  /** When the notification arrived. */
  at: Date
  own?: OwnNumber | null
}

/** @returns nothing if it is already known, if no number is printed, or if the account cannot have another one */
export const seeBankAccount = (
  account: Account,
  { bank_account_id, transaction_id, at, own = null, ...named }: SeenAccount,
): AccountEvent[] => {
  const { bank_code, account_number } = named
  if (!isShown(account_number) || hasMostBankAccounts(account) || bankAccountOf(account, named)) return []
  const { user_id } = account
  const seen = { user_id, bank_account_id, bank_code, account_number, transaction_id }
  const waits = wouldWait(account, named, at, own)
  return [{ type: 'BankAccountSeen', data: waits ? { ...seen, waits } : seen }]
}

/** @returns nothing if it is already confirmed · @throws {Refused} NOT_FOUND */
export const confirmBankAccount = (account: Account, bank_account_id: number): AccountEvent[] => {
  const known = account.bank_accounts.get(bank_account_id)
  if (!known) throw notFound('bank account')
  return known.confirmed ? [] : [{ type: 'BankAccountConfirmed', data: { user_id: account.user_id, bank_account_id } }]
}

/**
 * @returns nothing if nothing changes
 * @throws {Refused} NOT_FOUND; VALIDATION_FAILED for withdrawing a confirmation
 */
export const changeBankAccount = (
  account: Account,
  {
    bank_account_id,
    is_active,
    confirmed,
  }: { bank_account_id: number; is_active?: 0 | 1 | undefined; confirmed?: boolean | undefined },
): AccountEvent[] => {
  const known = account.bank_accounts.get(bank_account_id)
  if (!known) throw notFound('bank account')
  if (confirmed === false && known.confirmed)
    throw invalid({
      path: 'confirmed',
      message: 'A confirmation is final. To send no webhooks for this number, set is_active to 0.',
    })
  const { user_id } = account
  return [
    ...(is_active === undefined || is_active === known.is_active
      ? []
      : [{ type: 'BankAccountChanged', data: { user_id, bank_account_id, is_active } } satisfies AccountEvent]),
    ...(confirmed ? confirmBankAccount(account, bank_account_id) : []),
  ]
}

/** Accepts numbers that are first seen in the next 24 hours as the owner's. */
export const learnBankAccounts = (account: Account, at: Date): AccountEvent[] => [
  { type: 'BankAccountsLearned', data: { user_id: account.user_id, from: at.toISOString() } },
]
