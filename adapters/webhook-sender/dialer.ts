// Tests: tests/unit/adapters/webhook-sender/hidden-addresses.test.ts
/** Opens all connections to hosts that users name, to one of the checked addresses. TLS still verifies the name. */
import { isIP } from 'node:net'
import { buildConnector } from 'undici'
import { checkedAddresses } from './checked-addresses.ts'
import { openResolver, type Resolve } from './resolver.ts'

export interface DialerOptions {
  allowPrivate: boolean
  /** Milliseconds for one connection. */
  timeoutMs?: number
  /** Certificates that tests trust instead of the system's. */
  ca?: string
  /** For tests. */
  resolve?: Resolve
}

export type Dial = buildConnector.connector

const TRY_ANOTHER = /^(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|ETIMEDOUT|UND_ERR_CONNECT_TIMEOUT)$/

const isWorthAnother = (error: Error): boolean => TRY_ANOTHER.test((error as { code?: string }).code ?? '')

export const openDialer = ({ allowPrivate, timeoutMs = 10_000, ca, resolve = openResolver() }: DialerOptions): Dial => {
  const options = ca === undefined ? {} : { ca }
  const connectOnce = buildConnector({ ...options, timeout: timeoutMs })
  // If there are several addresses, an unreachable one must leave time for the next.
  const connectOneOfMany = buildConnector({ ...options, timeout: timeoutMs / 2 })

  return (target, callback) => {
    const host = target.hostname
      .replace(/^\[|\]$/g, '')
      .replace(/\.$/, '')
      .toLowerCase()
    const servername = isIP(host) ? '' : host
    checkedAddresses(host, { allowPrivate, resolve }).then(
      (addresses) => {
        const connect = addresses.length > 1 ? connectOneOfMany : connectOnce
        const dial = ([address, ...others]: readonly string[]): void =>
          connect({ ...target, hostname: address!, servername }, (...[error, socket]) => {
            if (!error) callback(null, socket)
            else if (others.length > 0 && isWorthAnother(error)) dial(others)
            else callback(error, null)
          })
        dial(addresses)
      },
      (error: Error) => callback(error, null),
    )
  }
}
