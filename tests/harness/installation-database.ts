/** Reads the database of a running installation, as a separate command would open it. */
import { silent } from '../../adapters/telemetry/log-lines.ts'
import { openDatabase } from '../../adapters/database/database.ts'
import { attachOrStart } from '../../adapters/postgres/embedded/embedded.ts'
import { openEventStore } from '../../cmd/process/open-event-store.ts'
import { readSettings } from '../../cmd/settings/settings.ts'
import type { RecordedEvent } from '../../domain/event.ts'
import type { DataFolder } from './baoco-process.ts'

/** Opens the database of an installation. @param databaseUrl  if it is not the embedded one */
export const inside = async <Result>(
  { dataDir }: DataFolder,
  look: (url: string) => Promise<Result>,
  databaseUrl?: string,
): Promise<Result> => {
  if (databaseUrl !== undefined) return look(databaseUrl)
  const { url, stop } = await attachOrStart({ dataDir, log: silent })
  return look(url).finally(stop)
}

/** The settings that make commits durable, such as `fsync on`. Throws if one of them is off. */
export const durability = (dataFolder: DataFolder, databaseUrl?: string): Promise<string> =>
  inside(
    dataFolder,
    async (url) => {
      const database = openDatabase(url, { poolSize: 1 })
      const settings = await database.query<{ name: string; setting: string }>(
        `SELECT name, setting FROM pg_settings WHERE name IN ('fsync', 'full_page_writes', 'synchronous_commit') ORDER BY name`,
      )
      await database.close()
      const off = settings.filter(({ setting }) => setting !== 'on')
      if (settings.length !== 3 || off.length > 0) throw new Error(`commits are not real: ${JSON.stringify(settings)}`)
      return settings.map(({ name, setting }) => `${name} ${setting}`).join(', ')
    },
    databaseUrl,
  )

/** All events of the event store. @param env  the settings of the installation */
export const allEvents = (dataFolder: DataFolder, env: Record<string, string> = {}): Promise<RecordedEvent[]> =>
  inside(
    dataFolder,
    async (url) => {
      const store = await openEventStore(readSettings(env), url)
      return store.readAll(null, 1_000_000).finally(() => store.close())
    },
    env.DATABASE_URL,
  )
