// Tests: tests/attack/metrics.test.ts
/**
 * Restricts access to the metrics (decision "Metrics"). If METRICS_TOKEN is set, a request must carry it. If it is not set, the API's port
 * serves metrics only to requests from this machine. A request that came through a proxy on this machine does not count as local.
 */
import type { IncomingMessage } from 'node:http'
import { createHash, timingSafeEqual } from 'node:crypto'
import ipaddr from 'ipaddr.js'
import { Refused } from '../../../domain/errors.ts'
import { unauthorized } from './errors.ts'
import type { Guard } from './guard.ts'

/** Headers that proxies add. One is enough to refuse, regardless of TRUST_PROXY. */
const FORWARDING = [
  'forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-forwarded-port', 'x-forwarded-server',
  'x-real-ip', 'x-client-ip', 'x-cluster-client-ip', 'x-original-forwarded-for', 'x-envoy-external-address',
  'true-client-ip', 'cf-connecting-ip', 'cf-ray', 'fastly-client-ip', 'fly-client-ip',
] // prettier-ignore

const isLoopback = (address: string): boolean =>
  ipaddr.isValid(address) && ipaddr.process(address).range() === 'loopback'

/** A proxy that adds no headers still passes on the host name of the original request. */
const namesLoopback = (host = ''): boolean => {
  const name = host.replace(/:\d+$/, '').replace(/^\[|\]$/g, '')
  return /^localhost\.?$/i.test(name) || isLoopback(name)
}

const isThisMachine = ({ socket, headers }: Pick<IncomingMessage, 'socket' | 'headers'>): boolean =>
  isLoopback(socket.remoteAddress ?? '') &&
  namesLoopback(headers.host) &&
  FORWARDING.every((name) => headers[name] === undefined)

const digest = (text: string): Buffer => createHash('sha256').update(text).digest()

/** Compares in constant time. Both digests have the same length and reveal nothing about the token. */
const carries = ({ headers }: IncomingMessage, token: string): boolean => {
  const [, given] = /^Bearer +(\S+) *$/i.exec(headers.authorization ?? '') ?? []
  return given !== undefined && timingSafeEqual(digest(given), digest(token))
}

/**
 * @param options.token  METRICS_TOKEN
 * @param options.hasOwnPort  whether the metrics are served on METRICS_PORT
 * @throws {Refused} UNAUTHORIZED, NOT_FOUND
 */
export const metricsGuard = ({ token, hasOwnPort }: { token: string | undefined; hasOwnPort: boolean }): Guard => ({
  step: ({ req }, next) => {
    if (token !== undefined && !carries(req, token)) throw unauthorized('Send METRICS_TOKEN as Authorization: Bearer.')
    if (token === undefined && !hasOwnPort && !isThisMachine(req))
      throw new Refused('NOT_FOUND', 'This address does not exist.')
    return next()
  },
  refuses: ['UNAUTHORIZED', 'NOT_FOUND'],
})
