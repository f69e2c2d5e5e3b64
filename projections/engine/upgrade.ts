// Tests: tests/integration/projections/upgrade.test.ts
/**
 * Read models during an upgrade, while processes of two versions of Baoco run. The newer version builds its read models beside those of the
 * older one, which goes on. It switches when both are level (`replay.ts`). The older version stands by from then on, and never builds
 * its own again.
 */
import { waitUnlessAborted } from '../../workflows/support/abort.ts'
import { retry } from '../../workflows/support/retry.ts'
import { isNewer, isOlder, NewerReadModels, readCheckpoint } from './checkpoint.ts'
import type { ProjectorOptions } from './projector.ts'
import { rebuild } from './replay.ts'

/** Milliseconds. */
const LOOK_EVERY = 2_000

export type UpgradeOptions = Pick<ProjectorOptions, 'store' | 'tables' | 'definition' | 'log'>

const stored = ({ tables, definition }: UpgradeOptions) =>
  readCheckpoint(tables, definition.schema, definition.projector)

/**
 * Replaces read models of an older version. It waits while the database or the store is unavailable.
 * @returns whether it has replaced any
 */
export const upgrade = async (options: UpgradeOptions, signal: AbortSignal): Promise<boolean> => {
  const { definition, log } = options
  const { projector } = definition
  const build = async (): Promise<boolean> => {
    if (!isOlder(await stored(options), definition)) return false
    log.info({ projector }, 'projection.upgrading')
    const { events, seconds } = await rebuild({ ...options, signal })
    log.info({ projector, events, seconds }, 'projection.upgraded')
    return true
  }
  const onFailure = (error: unknown): void => {
    if (error instanceof NewerReadModels) throw error
    if (!signal.aborted) log.warn({ projector, reason: (error as Error).message }, 'projection.upgrade_waits')
  }
  try {
    return (await retry(build, { signal, onFailure })) ?? false
  } catch (error) {
    if (error instanceof NewerReadModels) return false
    throw error
  }
}

/** Resolves when the read models are not of a newer version, or the signal aborts. */
export const untilNotNewer = async (options: UpgradeOptions, signal: AbortSignal): Promise<void> => {
  const isTheirs = async (): Promise<boolean> => {
    try {
      return isNewer(await stored(options), options.definition)
    } catch {
      return true
    }
  }
  while (!signal.aborted && (await isTheirs())) await waitUnlessAborted(LOOK_EVERY, signal)
}
