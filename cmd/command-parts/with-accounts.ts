// Tests: tests/integration/account-commands.test.ts
/** Opens the resources of account commands, such as the store and the vault, for the duration of one command. */
import { systemClock as clock } from '../../adapters/system/clock.ts'
import { openIds } from '../../adapters/system/ids.ts'
import { openPasswords } from '../../adapters/secrets/passwords.ts'
import type { Database } from '../../adapters/database/database.ts'
import type { EventStore, LogLines } from '../../domain/ports.ts'
import { enter } from '../../adapters/database/presence.ts'
import { servedBy } from '../../adapters/postgres/ops/installation.ts'
import { keepSecrets } from '../../adapters/secrets/secrets.ts'
import { openVault } from '../../adapters/secrets/vault.ts'
import { Accounts, type OwnersOccasion } from '../../workflows/accounts/accounts.ts'
import { accountOfEmail, type RegistrationParts } from '../../workflows/accounts/registration.ts'
import { recognise } from '../process/recognise-installation.ts'
import { recogniseVaultKey } from '../process/recognise-vault-key.ts'
import type { Settings } from '../settings/settings.ts'
import { withStore } from './with-store.ts'
import { ownCause } from '../../workflows/support/stamp.ts'

export interface AccountCommand extends RegistrationParts {
  settings: Settings
  database: Database
  log: LogLines
  accounts: Accounts
  /** The metadata of an operator's command on the account with this email. @throws if there is no such account */
  on(email: string): Promise<OwnersOccasion>
}

/** @throws if there is no such account */
export const knownAccount = async (store: EventStore, email: string): Promise<number> => {
  const userId = await accountOfEmail(store, email)
  if (userId === null) throw new Error(`no such account: ${email} (\`baoco account list\` prints all)`)
  return userId
}

/** @param options.seals  the command seals a secret, so its vault key must be that of the installation */
export const withAccounts = <Result>(
  work: (command: AccountCommand) => Promise<Result>,
  { seals = false } = {},
): Promise<Result> =>
  withStore(async ({ settings, database, store, log }) => {
    const presence = await enter(database, 'a command on accounts')
    try {
      const { vaultKeys } = keepSecrets(settings.dataDir, settings, (await servedBy(database)) !== null)
      await recognise({ settings, store, database, clock })
      const accounts = new Accounts(store)
      if (seals) await recogniseVaultKey({ settings, vaultKeys, database, store, accounts })
      const ids = openIds({ store, clock })
      const vault = openVault(vaultKeys)
      const on = async (email: string): Promise<OwnersOccasion> => {
        return { user_id: await knownAccount(store, email), at: clock.now(), ...ownCause() }
      }
      const passwords = openPasswords()
      return await work({ settings, database, log, store, ids, clock, vault, passwords, accounts, on })
    } finally {
      await presence.leave()
    }
  })
