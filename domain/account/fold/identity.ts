// Tests: tests/integration/http/accounts.test.ts
/** Access to the account: email, password, links, sessions, keys, plan and lock. */
import { issued, withoutGood } from '../mail-tokens.ts'
import { ended } from '../sessions.ts'
import type { Handlers } from './handlers.ts'
import { set, without } from './maps.ts'

type Types =
  | 'LanguageSet'
  | 'EmailVerified'
  | 'PasswordSet'
  | 'MailTokenIssued'
  | 'RegistrationRepeated'
  | 'RegistrationReplaced'
  | 'LoginsEnded'
  | 'SessionEnded'
  | 'ApiKeyRotated'
  | 'ApiKeyRevoked'
  | 'ScopedKeyAdded'
  | 'ScopedKeyRemoved'
  | 'PlanChanged'
  | 'QuotaWarned'
  | 'AccountLocked'
  | 'AccountUnlocked'
  | 'AccountDeleted'

export const identityHandlers: Handlers<Types> = {
  LanguageSet: (account, { language }) => ({ ...account, language }),
  EmailVerified: (account) => ({
    ...account,
    verified: true,
    mail_tokens: withoutGood(account.mail_tokens, 'verify_email'),
  }),
  PasswordSet: (account, { password_hash, token_version }) => ({
    ...account,
    password_hash,
    token_version,
    mail_tokens: withoutGood(account.mail_tokens, 'reset_password'),
  }),
  MailTokenIssued: (account, data) => ({ ...account, mail_tokens: issued(account.mail_tokens, data) }),
  RegistrationRepeated: (account, data) => ({
    ...account,
    mail_tokens: { ...account.mail_tokens, repeated_at: data.at },
  }),
  RegistrationReplaced: (account, { name, password_hash, token_version, ref = null }) => {
    const mail_tokens = withoutGood(account.mail_tokens, 'verify_email')
    return { ...account, name, password_hash, token_version, ref, mail_tokens }
  },
  LoginsEnded: (account, data) => ({ ...account, token_version: data.token_version }),
  SessionEnded: (account, data) => ({ ...account, ended_sessions: ended(account.ended_sessions, data) }),
  ApiKeyRotated: (account, data) => ({ ...account, key_hash: data.key_hash }),
  ApiKeyRevoked: (account) => ({ ...account, key_hash: null }),
  ScopedKeyAdded: (account, { user_id: _, ...key }) => ({
    ...account,
    api_keys: set(account.api_keys, key.api_key_id, key),
  }),
  ScopedKeyRemoved: (account, data) => ({ ...account, api_keys: without(account.api_keys, data.api_key_id) }),
  PlanChanged: (account, data) => ({ ...account, plan: data.plan, plan_expires_at: data.expires_at }),
  QuotaWarned: (account, data) => ({ ...account, quota_warned: data.month }),
  AccountLocked: (account, data, at) => ({ ...account, locked: true, lock: { reason: data.reason, since: at } }),
  AccountUnlocked: (account) => ({ ...account, locked: false, lock: null, unlocks: account.unlocks + 1 }),
  AccountDeleted: () => null,
}
