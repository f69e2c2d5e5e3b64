// Tests: tests/unit/domain/account/rules.test.ts
/**
 * Folds the events of an account into its state. Pure: the same events give the same account on every machine. The effect of each
 * event is defined in `fold/`, with one table per part of the account.
 */
import type { AccountEvent, AccountEventData } from './events.ts'
import { bankAccountHandlers } from './fold/bank-accounts.ts'
import type { Handlers } from './fold/handlers.ts'
import { USUAL_LANGUAGE } from './language.ts'
import { identityHandlers } from './fold/identity.ts'
import { shopHandlers } from './fold/shops.ts'
import { sourceHandlers } from './fold/sources.ts'
import { NO_MAIL_TOKENS } from './mail-tokens.ts'
import type { Account } from './state.ts'

export type * from './state.ts'

const handlers: Handlers<Later> = {
  ...identityHandlers,
  ...shopHandlers,
  ...sourceHandlers,
  ...bankAccountHandlers,
}

const registered = (data: AccountEventData['AccountRegistered']): Account => {
  const { user_id, email, name, operator, registered_at, ref = null } = data
  return {
    user_id, email, name, operator, registered_at, ref, language: USUAL_LANGUAGE,
    verified: false, locked: false, lock: null, unlocks: 0, password_hash: null, token_version: 0, mail_tokens: NO_MAIL_TOKENS, ended_sessions: new Map(), key_hash: null, api_keys: new Map(), receive_url: null, had_receive_url: false,
    plan: 'Free', plan_expires_at: null, trusted_senders: [], without_sender: false, sms_app_titles: new Set(), systems: new Map(), rules: new Map(), devices: new Map(),
    invitations: new Map(), mail_accounts: new Map(), bank_accounts: new Map(), learning: null, inboxes: new Map(), quota_warned: null, counter_hash: null, alert_webhook_url: null, alert_sealed_secret: null,
  } // prettier-ignore
}

/** An event, with its time if known. */
type Recorded = AccountEvent & { metadata?: { at: string } }

type Later = Exclude<AccountEvent['type'], 'AccountRegistered'>

/** Calls the handler of the event's own type. */
const apply = <Type extends Later>(
  table: Handlers<Type>,
  account: Account,
  event: { [T in Type]: { type: T; data: AccountEventData[T]; metadata?: { at: string } } }[Type],
): Account | null => table[event.type](account, event.data, event.metadata?.at ?? null)

/** @returns the account after one more event; null before the first event and after its deletion */
export const evolve = (account: Account | null, event: Recorded): Account | null => {
  if (event.type === 'AccountRegistered') return registered(event.data)
  return account && apply(handlers, account, event)
}
