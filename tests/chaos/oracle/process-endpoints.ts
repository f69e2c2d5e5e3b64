/** The shops that receive the webhooks while faults are caused in processes and servers. */
import { setTimeout as pause } from 'node:timers/promises'
import type { Servers } from '../../harness/servers.ts'
import type { World } from '../../harness/world.ts'
import { openEndpoint, type Answered, type Endpoint, type SeenCall } from './endpoint.ts'
import { LARGE } from './oracle.ts'

/** Seconds before each retry. */
export const SCHEDULE = [1, 1, 1]

/** Milliseconds. The endpoint accepts every call after this time, so that calls are in progress at each fault. */
const A_LITTLE_WHILE = 250

/**
 * The rule of this endpoint is ordered and has a minimum amount, because order takes time. It accepts some notifications at the second
 * attempt and some never. The next one may arrive once the last attempt was refused.
 */
const moody = ({ number, attempt }: SeenCall): Answered => {
  const turn = (number / 10) % 50
  if (turn === 2 && attempt === 1) return 'refused'
  if (turn === 3) return attempt > SCHEDULE.length ? 'refused for good' : 'refused'
  return 'taken'
}

export const openEndpoints = (world: World<Servers>): Promise<Endpoint[]> => {
  const api: World['api'] = (...call) => world.api(...call)
  return Promise.all([
    openEndpoint({
      name: 'the shop',
      api,
      answer: async (_call, response): Promise<Answered> => {
        await pause(A_LITTLE_WHILE)
        response.writeHead(200).end()
        return 'taken'
      },
    }),
    openEndpoint({
      name: 'the shop that asks for order',
      api,
      rule: { ordered: 1, min_amount: LARGE },
      answer: (call, response) => {
        const answered = moody(call)
        response.writeHead(answered === 'taken' ? 200 : 500).end()
        return answered
      },
    }),
  ])
}
