/** For the machine that watches: whether the process lives, whether what it needs answers, its numbers. */
import type Router from '@koa/router'
import type { Registry } from 'prom-client'
import type { ApiMiddleware, ApiState } from '../context.ts'

/** Something this process stands on. */
export interface Part {
  name: string
  /** False: the process does its job without it, such as receiving without the read models. */
  needed: boolean
  /** Resolves when it answers. */
  check: () => Promise<unknown>
}

/** A part that has not answered by then does not answer (milliseconds). */
const PATIENCE_MS = 2_000

const answers = async ({ check }: Part): Promise<boolean> => {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<false>((resolve) => (timer = setTimeout(() => resolve(false), PATIENCE_MS)))
  try {
    return await Promise.race([check().then(() => true), late])
  } catch {
    return false
  } finally {
    clearTimeout(timer)
  }
}

export const healthRoutes = (
  router: Router<ApiState>,
  { metrics, readiness }: { metrics: Registry; readiness: readonly Part[] },
): void => {
  const alive: ApiMiddleware = (context) => {
    context.body = { status: 'ok' }
  }

  const ready: ApiMiddleware = async (context) => {
    const states = await Promise.all(readiness.map(async (part) => ({ ...part, up: await answers(part) })))
    const down = states.some(({ needed, up }) => needed && !up)
    context.status = down ? 503 : 200
    context.body = {
      status: down ? 'unavailable' : 'ok',
      parts: Object.fromEntries(states.map(({ name, up }) => [name, up ? 'ok' : 'unavailable'])),
    }
  }

  const numbers: ApiMiddleware = async (context) => {
    context.type = metrics.contentType
    context.body = await metrics.metrics()
  }

  router.get('/healthz', alive)
  router.get('/readyz', ready)
  router.get('/metrics', numbers)
}
