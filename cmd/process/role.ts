// Tests: tests/integration/roles/attached.test.ts
/**
 * A role is a part of Baoco's work that can run in its own process, such as `baoco api` or `baoco deliver`. `baoco serve` runs all roles in
 * one process. A role does not depend on which other roles run, in this process or elsewhere.
 *
 * To add a role: create `cmd/commands/<name>.ts`, which exports a `Role` and its command (`roleCommand`). Add a line to `all.ts`, to the
 * list in `serve.ts` and to the table in docs/how/roles.md. `open` connects the role's own objects to those that all roles share
 * (`installation.ts`) and returns the work to run. Work that only one process may do runs under a lease (`installation.onlyOne`), so any
 * number of processes of the role can run.
 */
import type { Command } from 'commander'
import { createHealth } from '../../adapters/http/api.ts'
import type { HealthCheck } from '../../adapters/http/resources/health.ts'
import { StoreWentBack } from '../../domain/errors.ts'
import type { StoreMemory } from '../../adapters/system/store-memory.ts'
import { untilAborted } from '../../workflows/support/abort.ts'
import { openInstallation, type Installation } from './installation.ts'
import { STOPPED_EARLY, stopSignal } from './stop-signal.ts'
import { LostAtStart, orLostAtStart, StoppedAtStart } from './wait-for-servers.ts'

/** Requests in flight at a stop have this long to finish before they are cut off. In milliseconds. */
export const REQUEST_GRACE_MS = 5_000

export interface Role {
  name: string
  description: string
  /** @returns null if the role has no work under these settings */
  open(installation: Installation): Promise<Work> | Work | null
  /** The reason why the role may have no work. */
  idle?: string
}

/** The work of a role in one process. */
export interface Work {
  /**
   * Runs until the signal aborts, and resolves after it has finished the work that it began. It waits for unavailable servers: a rejection
   * ends the whole process with that message.
   * @param readiness  the health checks of the whole process
   */
  run(signal: AbortSignal, readiness: readonly HealthCheck[]): Promise<void>
  /** Whether the role processes the output of other roles in this process, so that it must stop after them. */
  follows?: boolean
  /** Health checks of the services that this role needs, for `/readyz`. */
  needs: readonly HealthCheck[]
  /**
   * Resolves when the role is working or the signal aborts.
   * @param among.isAlone  whether it is the only role of its process
   */
  ready?: (stopping: AbortSignal, among: { isAlone: boolean }) => Promise<void>
  /** Text for the terminal before "Baoco is ready". */
  greeting?: () => string
  /** Called when the terminal has received that text completely. */
  greeted?: () => Promise<void>
}

export const roleCommand =
  (role: Role) =>
  (program: Command): void => {
    program
      .command(role.name)
      .description(role.description)
      .action(() => runRoles([role]))
  }

/**
 * Lists every health check once. Only the needs of the first role decide whether the process is ready: a process that receives is ready
 * while the event store answers, even if other services do not.
 */
const readinessOf = (works: readonly Work[]): HealthCheck[] => {
  const parts = new Map<string, HealthCheck>()
  works.forEach(({ needs }, index) => {
    for (const part of needs)
      if (!parts.has(part.name)) parts.set(part.name, { ...part, needed: index === 0 && part.needed })
  })
  return [...parts.values()]
}

/**
 * Runs roles in this process until a stop signal. Roles that accept new work stop first, then the roles that follow them.
 *
 * If the event store goes back in time, everything is closed and opened again in this process. So no cache, known revision, reserved id or
 * subscription survives that was made from events which do not exist any more.
 * @param options.ownsDatabase  this process itself must run the embedded Postgres
 */
export const runRoles = async (roles: readonly Role[], { ownsDatabase = false } = {}): Promise<void> => {
  const stopping = stopSignal()
  let before: StoreMemory | undefined
  for (;;) {
    try {
      before = await runUntilLost(roles, stopping, { ownsDatabase, before })
      if (!before) return
    } catch (error) {
      if (error instanceof StoppedAtStart && stopping.aborted) return console.error(STOPPED_EARLY)
      // The store went back again, or a server went away, while everything was opened.
      const beginsAgain = error instanceof StoreWentBack || error instanceof LostAtStart
      if (!beginsAgain || stopping.aborted) throw error
    }
  }
}

/** @returns what was known of the store when it was found to have gone back; undefined after a stop */
const runUntilLost = async (
  roles: readonly Role[],
  stopped: AbortSignal,
  options: { ownsDatabase: boolean; before: StoreMemory | undefined },
): Promise<StoreMemory | undefined> => {
  const failing = new AbortController()
  const opening = AbortSignal.any([stopped, failing.signal])
  const servesApi = roles.some(({ name }) => name === 'api')
  const captures = servesApi || roles.some(({ name }) => name === 'collect')
  const name = roles.map((role) => role.name).join(', ')
  const installation = await openInstallation(name, opening, { ...options, servesApi, captures })
  const { lost, log } = installation
  const stopping = AbortSignal.any([opening, lost])
  try {
    const works = await worksOf(roles, installation).catch(async (error: unknown) => {
      const { databaseUrl } = installation.settings
      throw await orLostAtStart(error, { databaseUrl, log, stopping: opening, wentBack: lost })
    })
    installation.started()
    const readiness = readinessOf(works)
    const following = new AbortController()
    const failures: unknown[] = []
    const orEnd = <Result>(work: Promise<Result>): Promise<Result | void> =>
      work.catch((error: unknown) => {
        if (error instanceof StoreWentBack) return
        failures.push(error)
        failing.abort()
      })
    const start = (signal: AbortSignal) => (work: Work) => orEnd(work.run(signal, readiness))
    const followers = works.filter(({ follows }) => follows).map(start(AbortSignal.any([following.signal, lost])))
    const others = works.filter(({ follows }) => !follows).map(start(stopping))

    serveHealth(installation, readiness)
    const among = { isAlone: works.length === 1 }
    await Promise.all(works.map(async ({ ready }) => ready && orEnd(ready(stopping, among))))
    if (stopped.aborted) console.error(STOPPED_EARLY)
    else if (!stopping.aborted && (await print(readyLines(roles, works, installation))))
      await Promise.all(works.map(async ({ greeted }) => greeted && orEnd(greeted())))

    await untilAborted(stopping)
    if (lost.aborted) log.error({ newest_known: installation.remembered().newest?.checkpoint }, 'store.begins_again')
    await Promise.all([...others, installation.front.health?.close(REQUEST_GRACE_MS)])
    following.abort()
    await Promise.all(followers)
    if (failures.length > 0) throw failures[0]
    return lost.aborted && !stopped.aborted ? installation.remembered() : undefined
  } catch (error) {
    // The store went back while the roles were opened.
    if (error instanceof StoreWentBack && !stopped.aborted) return installation.remembered()
    throw error
  } finally {
    await installation.close()
  }
}

/** @throws an error if there is nothing to do */
const worksOf = async (roles: readonly Role[], installation: Installation): Promise<Work[]> => {
  const works: Work[] = []
  for (const role of roles) {
    const work = await role.open(installation)
    if (work) works.push(work)
  }
  if (works.length === 0) throw new Error(`there is nothing to ${roles[0]?.name}: ${roles[0]?.idle}`)
  return works
}

const serveHealth = ({ settings, log, metrics, front }: Installation, readiness: readonly HealthCheck[]): void =>
  front.health?.serve(createHealth({ log, metrics: metrics.registry, readiness: () => readiness, settings }))

/** @returns whether everything was written, which is false if the reader of the output is gone */
const print = (text: string): Promise<boolean> =>
  new Promise((resolve) => {
    process.stdout.once('error', () => {})
    process.stdout.write(`${text}\n`, (error) => resolve(!error))
  })

const readyLines = (roles: readonly Role[], works: readonly Work[], { settings, front }: Installation): string => {
  const what = front.api ? `on port ${settings.port}` : `to ${roles.map(({ name }) => name).join(', ')}`
  return [...works.flatMap(({ greeting }) => greeting?.() ?? []), `Baoco is ready ${what}`].join('\n')
}
