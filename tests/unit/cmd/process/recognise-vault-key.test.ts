import { expect } from 'chai'
import type { Queryable } from '../../../../adapters/database/database.ts'
import { keyIdOf } from '../../../../adapters/secrets/vault.ts'
import { recogniseVaultKey, type VaultKeyParts } from '../../../../cmd/process/recognise-vault-key.ts'

describe('the vault key of an installation that two processes begin at once', () => {
  const [OWN, OTHER] = ['1'.repeat(64), '2'.repeat(64)] as const

  /** Starts a process with its own key, while another one records its key between the read and the record of this one. */
  const start = async (others: string): Promise<string> => {
    let recorded: string | null = null
    const query = async (text: string, [before, now]: readonly unknown[] = []) => {
      if (text.startsWith('SELECT')) return [{ vault_key: recorded }]
      recorded ??= keyIdOf(others)
      if (before !== recorded) return []
      recorded = now as string
      return [{}]
    }
    const parts: VaultKeyParts = {
      settings: { lostVaultKey: undefined },
      vaultKeys: [OWN],
      database: { query } as unknown as Queryable,
      store: { read: async () => [[]] },
      accounts: { find: async () => null },
    }
    return recogniseVaultKey(parts).then(
      () => 'started',
      ({ name }: Error) => name,
    )
  }

  it('must be the same: the second one is refused with another key', async () => {
    expect(await start(OTHER)).to.equal('ForeignVaultKey')
    expect(await start(OWN)).to.equal('started')
  })
})
