// Tests: tests/integration/key-rotation.test.ts
/** Opens the vault, and logs if its keys do not open the sealed secrets, such as after the loss of a key. */
import { openVault } from '../../adapters/secrets/vault.ts'
import { NotOpened } from '../../domain/errors.ts'
import type { EventStore, Vault, LogLines } from '../../domain/ports.ts'
import type { Accounts } from '../../workflows/accounts/accounts.ts'
import { operatorOf } from '../../workflows/operator.ts'

interface Parts {
  vaultKeys: readonly string[]
  store: Pick<EventStore, 'read'>
  accounts: Pick<Accounts, 'find'>
  log: Pick<LogLines, 'error'>
}

/** The check does not delay the start. It tries one secret, that of the operator's personal URL. */
export const openCheckedVault = ({ vaultKeys, store, accounts, log }: Parts): Vault => {
  const vault = openVault(vaultKeys)
  const check = async (): Promise<void> => {
    const operator = await operatorOf(store)
    const account = operator === null ? null : await accounts.find(operator)
    if (account?.receive_url) vault.open(account.receive_url.sealed_token)
  }
  check().catch((error: unknown) => {
    // Other errors are those of the store, which are reported elsewhere.
    if (error instanceof NotOpened) log.error({ reason: error.message }, 'vault.wrong_key')
  })
  return vault
}
