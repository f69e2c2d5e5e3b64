/**
 * A role is a part of Baoco's work that can be a process of its own: `baoco api`, `baoco deliver` and so on; `baoco serve` is
 * all of them in one process. Nothing in a role knows which others run beside it, here or elsewhere.
 *
 * To make one: a file `cmd/<name>.ts` that exports a `Role` and its command (`roleCommand`), a line in `commands.ts`, one in
 * the list of `serve.ts`, one in the table of docs/architecture.md. `open` wires the role's own parts to those that all roles
 * share (`installation.ts`) and answers what there is to run. What only one process of all may do runs under a lease
 * (`installation.onlyOne`), so that any number of processes of the role can be started.
 */
import type { Command } from 'commander'
import { createHealth } from '../../adapters/http/api.ts'
import type { Part } from '../../adapters/http/resources/health.ts'
import { listen, type Listening } from '../../adapters/http/server.ts'
import { openInstallation, type Installation } from './installation.ts'
import { stopSignal } from './stop-signal.ts'

/** Requests in flight when a stop begins are finished by then, or cut off (milliseconds). */
export const REQUEST_GRACE_MS = 5_000

export interface Role {
  name: string
  description: string
  /** @returns null where the settings leave it nothing to do */
  open(installation: Installation): Promise<Work> | Work | null
  /** Why that may be. */
  idle?: string
}

/** What a role runs in a process. */
export interface Work {
  /**
   * Runs until the signal aborts; has done what it had begun when it resolves. What is away is waited for: a rejection ends
   * the whole process, with that message.
   * @param readiness  of the whole process
   */
  run(signal: AbortSignal, readiness: readonly Part[]): Promise<void>
  /** It follows what other roles of this process do, so it is ended after them. */
  follows?: boolean
  /** What this role needs, for `/readyz`. */
  needs: readonly Part[]
  /**
   * Resolves when it does its job, or the signal aborts.
   * @param among.isAlone  it is the only role of its process
   */
  ready?: (stopping: AbortSignal, among: { isAlone: boolean }) => Promise<void>
  /** What the person at the terminal is to read before "Baoco is ready". */
  greeting?: () => string
}

export const roleCommand =
  (role: Role) =>
  (program: Command): void => {
    program
      .command(role.name)
      .description(role.description)
      .action(() => runRoles([role]))
  }

export const untilAborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) return resolve()
    signal.addEventListener('abort', () => resolve(), { once: true })
  })

/**
 * Every part once. A process is ready when what its first role needs answers: one that receives is ready while the event
 * store answers, whatever else it has to do.
 */
const readinessOf = (works: readonly Work[]): Part[] => {
  const parts = new Map<string, Part>()
  works.forEach(({ needs }, index) => {
    for (const part of needs)
      if (!parts.has(part.name)) parts.set(part.name, { ...part, needed: part.needed && index === 0 })
  })
  return [...parts.values()]
}

/**
 * Runs roles in this process until it is asked to end. Those that take work in end first, then those that follow.
 * @param options.ownsDatabase  this process must be the one that runs the embedded Postgres
 */
export const runRoles = async (roles: readonly Role[], { ownsDatabase = false } = {}): Promise<void> => {
  const failing = new AbortController()
  const stopping = AbortSignal.any([stopSignal(), failing.signal])
  const installation = await openInstallation(roles.map(({ name }) => name).join(', '), stopping, { ownsDatabase })
  try {
    const works: Work[] = []
    for (const role of roles) {
      const work = await role.open(installation)
      if (work) works.push(work)
    }
    if (works.length === 0) throw new Error(`there is nothing to ${roles[0]?.name}: ${roles[0]?.idle}`)
    const readiness = readinessOf(works)
    const following = new AbortController()
    const failures: unknown[] = []
    const orEnd = <Result>(work: Promise<Result>): Promise<Result | void> =>
      work.catch((error: unknown) => {
        failures.push(error)
        failing.abort()
      })
    const start = (signal: AbortSignal) => (work: Work) => orEnd(work.run(signal, readiness))
    const followers = works.filter(({ follows }) => follows).map(start(following.signal))
    const others = works.filter(({ follows }) => !follows).map(start(stopping))

    const health = await orEnd(openHealth(installation, readiness))
    const among = { isAlone: works.length === 1 }
    await Promise.all(works.map(async ({ ready }) => ready && orEnd(ready(stopping, among))))
    if (!stopping.aborted) console.log(readyLines(roles, works, installation))

    await untilAborted(stopping)
    await Promise.all([...others, health?.close(REQUEST_GRACE_MS)])
    following.abort()
    await Promise.all(followers)
    if (failures.length > 0) throw failures[0]
  } finally {
    await installation.close()
  }
}

const openHealth = async (
  { settings, secrets, log, metrics }: Installation,
  readiness: readonly Part[],
): Promise<Listening | null> => {
  if (settings.metricsPort === undefined) return null
  const parts = { log, metrics: metrics.registry, readiness, settings: { ...settings, jwtSecret: secrets.jwtSecret } }
  return listen(createHealth(parts), settings.metricsPort)
}

const readyLines = (roles: readonly Role[], works: readonly Work[], { settings }: Installation): string => {
  const listens = roles.some(({ name }) => name === 'api')
  const what = listens ? `on port ${settings.port}` : `to ${roles.map(({ name }) => name).join(', ')}`
  return [...works.flatMap(({ greeting }) => greeting?.() ?? []), `Baoco is ready ${what}`].join('\n')
}
