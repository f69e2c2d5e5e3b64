/** A Baoco as users run it, with a fresh data folder, for one benchmark. */
import { durability } from '../../tests/support/inside.ts'
import {
  callApi,
  newPlace,
  readInstallation,
  removePlace,
  startBaoco,
  type Installation,
  type Running,
} from '../../tests/support/baoco-process.ts'

export interface Bench {
  baoco: Running
  installation: Installation
  api: (
    method: string,
    path: string,
    body?: unknown,
  ) => Promise<{ status: number; body: Record<string, unknown> & { data?: unknown } }>
  end(): Promise<void>
}

const OPEN_DOORS = { RATE_LIMITS: 'off', ALLOW_PRIVATE_TARGETS: '1', LOG_LEVEL: 'warn' }

export const startBench = async (env: Record<string, string> = {}): Promise<Bench> => {
  const place = await newPlace()
  const baoco = await startBaoco(place, { ...OPEN_DOORS, ...env })
  const installation = readInstallation(place, baoco.output())
  console.log(`commits: ${await durability(place)}`)
  return {
    baoco,
    installation,
    api: (method, path, body) => callApi(baoco, installation.apiKey, method, path, body),
    end: async () => {
      await baoco.stop()
      await removePlace(installation)
    },
  }
}

/** Every payment with prefix DH is posted to this address from now on. */
export const addRule = async (bench: Bench, url: string): Promise<void> => {
  const { status, body } = await bench.api('POST', '/api/webhooks', { name: 'benchmark', url })
  if (status !== 201) throw new Error(`the rule was not created: ${JSON.stringify(body)}`)
}

export const listTotal = async (bench: Bench): Promise<number> =>
  (await bench.api('GET', '/api/transactions')).body.total as number

/** Seconds until a question answers true, asked every 50 ms; fails after `most`. */
export const secondsUntil = async (most: number, ask: () => Promise<boolean>): Promise<number> => {
  const began = performance.now()
  while (!(await ask())) {
    if (performance.now() - began > most * 1000) throw new Error(`not so within ${most} s`)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  return (performance.now() - began) / 1000
}
