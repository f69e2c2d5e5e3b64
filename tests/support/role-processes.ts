/** Role processes of one installation on servers: started, killed, frozen and replaced one by one. */
import { rm } from 'node:fs/promises'
import { launchBaoco, newPlace, type Place, type Running, type Starting } from './baoco-process.ts'

export const ROLES = ['api', 'project', 'relay', 'deliver'] as const
export type RoleName = (typeof ROLES)[number]

export interface RoleProcess {
  role: RoleName
  running: Starting
  /** Where its `/readyz` and `/metrics` are. */
  healthUrl: string
  /** kill -9, and a new one in its place, on the same ports. */
  replace(): Promise<void>
  freeze(): void
  thaw(): void
  health(): Promise<{ status: number; parts: Record<string, string> }>
  metrics(): Promise<string>
}

export const roleProcesses = (env: Record<string, string>) => {
  const all: RoleProcess[] = []
  const places: Place[] = []
  return {
    all,
    /** Does not wait until it is ready: `running.ready` does. */
    launch: async (role: RoleName): Promise<RoleProcess> => {
      const [place, { port, dataDir }] = [await newPlace(), await newPlace()]
      places.push(place, { port, dataDir })
      const start = () => launchBaoco(place, { ...env, METRICS_PORT: String(port) }, role)
      const healthUrl = `http://127.0.0.1:${port}`
      const signal = (name: NodeJS.Signals) => void one.running.process.kill(name)
      const one: RoleProcess = {
        role,
        running: start(),
        healthUrl,
        replace: async () => {
          await one.running.kill()
          one.running = start()
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
      await Promise.all(all.map(({ running }) => running.kill()))
      await Promise.all(places.map(({ dataDir }) => rm(dataDir, { recursive: true, force: true })))
    },
  }
}

/** One process of each role, in the place of a single one that does everything: they start, stop and are killed together. */
export const startRoles = async (place: Place, env: Record<string, string>): Promise<Running> => {
  const each = ROLES.map((role) => launchBaoco(place, env, role))
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
