/**
 * Mail servers by IMAP. Users name the hosts, so they are resolved, checked and dialled as webhooks are, and everything that a
 * server sends is counted before it is read (`server-limits.ts`).
 */
import { isIP } from 'node:net'
import type { ImapFlow, ImapFlowOptions } from 'imapflow'
import ipaddr from 'ipaddr.js'
import { MailFailure, type Login, type MailServer } from '../../workflows/mail-ingest/mailbox.ts'
import { checkedAddresses } from '../webhook-sender/checked-addresses.ts'
import { openResolver, type Resolve } from '../webhook-sender/resolver.ts'
import { mailFailure } from './failure.ts'
import { guardedTransport } from './guarded-socket.ts'
import { MAIL_BYTES, openFolder } from './imap-folder.ts'
import { CONNECT, LONGEST_LINE, ServerLimits } from './server-limits.ts'
import { within, type Limited } from './within.ts'

/** Parts of one answer, such as flags or addresses: far more than any answer to what is asked here. */
const MOST_TOKENS = 20_000

/** Milliseconds. */
const CONNECT_WITHIN = 10_000
/** Idling begins so soon after the last command; it is begun anew before servers take it for a dead connection. */
const IDLE_AFTER = 20
const IDLE_AGAIN = 4 * 60_000
/** Where a server does not idle it is asked; and a connection that died silently is known. */
const SILENT_AT_MOST = 5 * 60_000

export interface ImapOptions {
  /** `ALLOW_PRIVATE_TARGETS`: private addresses, and without encryption where it is this very machine. */
  allowPrivate: boolean
  /** Certificates trusted instead of the system's: for tests. */
  ca?: string
  resolve?: Resolve
  /** What every time limit is multiplied by: other than 1 only for tests. */
  patience?: number
  /** Whether an address is this very machine's: others only for tests. */
  isHere?: (address: string) => boolean
}

const isLoopback = (address: string): boolean => ipaddr.process(address).range() === 'loopback'

/**
 * With TLS from the first byte, or with STARTTLS before anything is told. Only this very machine, where there is nobody to hide
 * from, may do without, or show a certificate of its own.
 */
const secured = (
  tls: boolean,
  address: string,
  { allowPrivate, ca, isHere = isLoopback }: ImapOptions,
): Partial<ImapFlowOptions> => {
  const trusted = ca === undefined ? {} : { ca }
  if (tls) return { secure: true, tls: { minVersion: 'TLSv1.2', ...trusted } }
  return isHere(address) && allowPrivate
    ? { secure: false, tls: { rejectUnauthorized: false } }
    : { secure: false, doSTARTTLS: true, tls: { minVersion: 'TLSv1.2', ...trusted } }
}

const clientFor = async (
  { host, port, tls, username, password }: Login,
  address: string,
  options: ImapOptions,
): Promise<Limited> => {
  const { patience = 1 } = options
  // Loaded with the first mailbox: many installations never have one.
  const { ImapFlow } = await import('imapflow')
  const limits = new ServerLimits(patience)
  const transport = guardedTransport(limits)
  const client = new ImapFlow({
    host: address,
    port,
    ...(isIP(host) ? {} : { servername: host }),
    ...secured(tls, address, options),
    auth: { user: username, pass: password },
    transport,
    logger: false,
    // A few bytes could become any number of them.
    disableCompression: true,
    // Extensions only add answers that would have to be bounded.
    disableAutoEnable: true,
    disableIMAP4rev2: true,
    disableBinary: true,
    clientInfo: { name: 'Baoco' },
    autoIdleDelay: IDLE_AFTER,
    maxIdleTime: IDLE_AGAIN,
    connectionTimeout: CONNECT_WITHIN * patience,
    greetingTimeout: CONNECT_WITHIN * patience,
    socketTimeout: SILENT_AT_MOST,
    maxLineLength: LONGEST_LINE,
    maxLiteralSize: MAIL_BYTES,
    maxResponseSize: MAIL_BYTES + 2 * LONGEST_LINE,
    maxResponseTokens: MOST_TOKENS,
  })
  // Reported by the call that waits for it, or by `news`.
  client.on('error', () => {}).on('response', () => limits.answered())
  return { client, limits, end: transport.end }
}

/** imapflow's handlers of what is sent unasked. Of VANISHED a few bytes can name millions of mails, one event for each. */
const ignoreUnasked = (client: ImapFlow): void => {
  const { untaggedHandlers } = client as unknown as { untaggedHandlers: Record<string, unknown> }
  for (const name of ['FETCH', 'EXPUNGE', 'VANISHED']) delete untaggedHandlers[name]
}

const dial = async (login: Login, options: ImapOptions & { resolve: Resolve }): Promise<Limited> => {
  const addresses = await checkedAddresses(login.host.replace(/\.$/, ''), options)
  let failure: unknown
  for (const address of addresses) {
    const limited = await clientFor(login, address, options)
    const { client } = limited
    try {
      await within(limited, CONNECT, () => client.connect())
      ignoreUnasked(client)
      return limited
    } catch (error) {
      client.close()
      failure = error
      // Another address would say the same.
      const { isRefusal, isViolation } = mailFailure(error)
      if (isRefusal || isViolation) break
    }
  }
  throw failure
}

export const openImap = ({ resolve = openResolver(), ...given }: ImapOptions): MailServer => {
  const options = { ...given, resolve }
  return {
    connect: async (login, signal) => {
      const limited = await dial(login, options).catch((error: unknown) => {
        throw mailFailure(error)
      })
      try {
        if (signal.aborted) throw new MailFailure('stopped')
        return await openFolder(limited, login.folder)
      } catch (error) {
        limited.client.close()
        throw mailFailure(error)
      }
    },
  }
}
