// Tests: tests/integration/http/mail-accounts.test.ts
/**
 * Commands on mail accounts: load → decide → append. The password is sealed before it enters an event, and is never
 * returned.
 */
import type { MailAccount, MailAccountFields } from '../../domain/account/account.ts'
import type { Change } from '../../domain/account/change.ts'
import * as decide from '../../domain/account/mail-accounts.ts'
import { invalid } from '../../domain/account/refusals.ts'
import type { Checkpoint } from '../../domain/ports.ts'
import type { AccountParts, OwnersOccasion } from './accounts.ts'
import { nextId } from '../support/next-id.ts'
import { ownCause } from '../support/stamp.ts'

type MailAccountParts = Pick<AccountParts, 'accounts' | 'ids' | 'vault' | 'urlProblem'>

export interface WrittenMailAccount {
  mailAccount: MailAccount
  checkpoint: Checkpoint | null
}

const NO_HOST = 'This is not a valid host name. The port has its own field.'

/** Checks what is known of a host without DNS. The dialer checks the address itself. */
const refuseHost = ({ urlProblem }: MailAccountParts, host: string | undefined): void => {
  if (host === undefined) return
  const url = `https://${host.includes(':') ? `[${host}]` : host}`
  if (!URL.canParse(url)) throw invalid({ path: 'host', message: NO_HOST })
  const problem = urlProblem(url)
  if (problem !== null) throw invalid({ path: 'host', message: `The host ${problem}.` })
}

/** @throws {Refused} MAIL_ACCOUNT_LIMIT_REACHED, CONFLICT, VALIDATION_FAILED · {StoreUnavailable} */
export const addMailAccount = async (
  parts: MailAccountParts,
  occasion: OwnersOccasion,
  { password, ...fields }: MailAccountFields & { password: string },
): Promise<WrittenMailAccount> => {
  refuseHost(parts, fields.host)
  const mail_account_id = await nextId(parts.ids)
  const sealed_password = parts.vault.seal(password)
  const { account, checkpoint } = await parts.accounts.change(occasion, (account) =>
    decide.addMailAccount(account, { mail_account_id, fields, sealed_password, at: occasion.at }),
  )
  return { mailAccount: decide.mailAccountOf(account, mail_account_id), checkpoint }
}

/** @throws {Refused} NOT_FOUND, CONFLICT, VALIDATION_FAILED · {StoreUnavailable} */
export const changeMailAccount = async (
  parts: MailAccountParts,
  occasion: OwnersOccasion,
  mail_account_id: number,
  { password, ...change }: Change<MailAccountFields & { password: string }>,
): Promise<WrittenMailAccount> => {
  const sealed_password = password === undefined ? undefined : parts.vault.seal(password)
  const { account, checkpoint } = await parts.accounts.change(occasion, (account) => {
    // One that was allowed when it was saved must not stop other changes.
    if (change.host !== account.mail_accounts.get(mail_account_id)?.host) refuseHost(parts, change.host)
    return decide.changeMailAccount(account, { mail_account_id, change, sealed_password, at: occasion.at })
  })
  return { mailAccount: decide.mailAccountOf(account, mail_account_id), checkpoint }
}

/** Called by the collector. @throws {StoreUnavailable} */
export const pauseMailAccount = async (
  { accounts, clock }: Pick<AccountParts, 'accounts' | 'clock'>,
  mailbox: { user_id: number } & Omit<decide.PauseMailAccount, 'reason'>,
  reason: string,
): Promise<void> => {
  const occasion = { user_id: mailbox.user_id, at: clock.now(), ...ownCause() }
  await accounts.change(occasion, (account) => decide.pauseMailAccount(account, { ...mailbox, reason }))
}
