/** Role processes of one installation, which can be started, stopped, killed, frozen and replaced one by one. */
import {
  launchBaoco,
  newDataFolder,
  removeDataFolder,
  type DataFolder,
  type Running,
  type Starting,
} from './baoco-process.ts'
import { freePorts } from './free-ports.ts'

const ROLES = ['api', 'project', 'relay', 'deliver'] as const
/** All roles, including the collection of mails. */
export const EVERY_ROLE = [...ROLES, 'collect'] as const
export type RoleName = (typeof EVERY_ROLE)[number]

export interface RoleProcess {
  role: RoleName
  dataFolder: DataFolder
  running: Starting
  /** The base URL of its `/readyz` and `/metrics`. */
  healthUrl: string
  isRunning(): boolean
  /** Sends SIGTERM and waits for its end. */
  stop(): Promise<void>
  /** Sends kill -9 and waits for its end. */
  kill(): Promise<void>
  /** Starts it again on the same ports. It does not wait until the process is ready; `running.ready` does. */
  start(): void
  /** Kills it with kill -9 and starts a new one in its place. */
  replace(): Promise<void>
  /** Sends SIGSTOP to it and to no other process. */
  freeze(): void
  thaw(): void
  health(): Promise<{ status: number; parts: Record<string, string> }>
  metrics(): Promise<string>
}

export const roleProcesses = (env: Record<string, string>) => {
  const all: RoleProcess[] = []
  const dataFolders: DataFolder[] = []
  return {
    all,
    /** Does not wait until the process is ready; `running.ready` does. */
    launch: async (role: RoleName, program?: string): Promise<RoleProcess> => {
      const [dataFolder, [port]] = await Promise.all([newDataFolder(), freePorts(1)])
      dataFolders.push(dataFolder)
      const launch = () =>
        launchBaoco(dataFolder, { ...env, METRICS_PORT: String(port) }, role, program === undefined ? {} : { program })
      const healthUrl = `http://127.0.0.1:${port}`
      const signal = (name: NodeJS.Signals) => void one.running.process.kill(name)
      const one: RoleProcess = {
        role,
        dataFolder,
        running: launch(),
        healthUrl,
        isRunning: () => one.running.process.exitCode === null && one.running.process.signalCode === null,
        stop: async () => void (await one.running.stop()),
        kill: () => one.running.kill(),
        start: () => {
          one.running = launch()
        },
        replace: async () => {
          await one.kill()
          one.start()
        },
        freeze: () => signal('SIGSTOP'),
        thaw: () => signal('SIGCONT'),
        health: async () => {
          const response = await fetch(`${healthUrl}/readyz`)
          const { parts } = (await response.json()) as { parts: Record<string, string> }
          return { status: response.status, parts }
        },
        metrics: async () => (await fetch(`${healthUrl}/metrics`)).text(),
      }
      all.push(one)
      return one
    },
    close: async () => {
      await Promise.all(all.map((one) => one.kill()))
      await Promise.all(dataFolders.map(removeDataFolder))
    },
  }
}

/** One process of each role, used like a single process that does everything: they start, stop and are killed together. */
export const startRoles = async (dataFolder: DataFolder, env: Record<string, string>): Promise<Running> => {
  const each = ROLES.map((role) => launchBaoco(dataFolder, env, role))
  const [api] = each as [Starting]
  const all: Running = {
    ...api,
    output: () => each.map(({ output }) => output()).join('\n'),
    stop: async () => Math.max(...(await Promise.all(each.map(({ stop }) => stop())))),
    kill: async () => void (await Promise.all(each.map(({ kill }) => kill()))),
  }
  await Promise.all(each.map(({ ready }) => ready)).catch(async (error: unknown) => {
    await all.kill()
    throw error
  })
  return all
}
