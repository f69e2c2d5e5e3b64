/**
 * Who may read the numbers (decision "Metrics"): with METRICS_TOKEN whoever sends it; without it, where the API listens, only this
 * machine. A proxy on this machine must not make everybody this machine, so a request that came through one is none of it.
 */
import type { IncomingMessage } from 'node:http'
import { createHash, timingSafeEqual } from 'node:crypto'
import ipaddr from 'ipaddr.js'
import { Refused } from '../../../domain/errors.ts'
import { unauthorized } from './errors.ts'
import type { Part } from '../openapi/operation.ts'

/** What proxies add. One is enough, whatever TRUST_PROXY says. */
const FORWARDING = [
  'forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-forwarded-port', 'x-forwarded-server',
  'x-real-ip', 'x-client-ip', 'x-cluster-client-ip', 'x-original-forwarded-for', 'x-envoy-external-address',
  'true-client-ip', 'cf-connecting-ip', 'cf-ray', 'fastly-client-ip', 'fly-client-ip',
] // prettier-ignore

const isLoopback = (address: string): boolean =>
  ipaddr.isValid(address) && ipaddr.process(address).range() === 'loopback'

/** A proxy that adds nothing passes the name on that it was called by. */
const namesLoopback = (host = ''): boolean => {
  const name = host.replace(/:\d+$/, '').replace(/^\[|\]$/g, '')
  return /^localhost\.?$/i.test(name) || isLoopback(name)
}

export const isThisMachine = ({ socket, headers }: Pick<IncomingMessage, 'socket' | 'headers'>): boolean =>
  isLoopback(socket.remoteAddress ?? '') &&
  namesLoopback(headers.host) &&
  FORWARDING.every((name) => headers[name] === undefined)

const digest = (text: string): Buffer => createHash('sha256').update(text).digest()

/** In constant time: what is compared has one length, and tells nothing of the token. */
const carries = ({ headers }: IncomingMessage, token: string): boolean => {
  const [, given] = /^Bearer +(\S+) *$/i.exec(headers.authorization ?? '') ?? []
  return given !== undefined && timingSafeEqual(digest(given), digest(token))
}

/**
 * @param options.token  METRICS_TOKEN
 * @param options.hasOwnPort  the numbers are on METRICS_PORT
 * @throws {Refused} UNAUTHORIZED, NOT_FOUND
 */
export const metricsGuard = ({ token, hasOwnPort }: { token: string | undefined; hasOwnPort: boolean }): Part => ({
  step: ({ req }, next) => {
    if (token !== undefined && !carries(req, token)) throw unauthorized()
    if (token === undefined && !hasOwnPort && !isThisMachine(req))
      throw new Refused('NOT_FOUND', 'This address does not exist.')
    return next()
  },
  refuses: ['UNAUTHORIZED', 'NOT_FOUND'],
})
