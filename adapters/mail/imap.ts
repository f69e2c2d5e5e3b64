// Tests: tests/integration/mail-ingest/imap.test.ts
/**
 * Mail servers over IMAP. Users name the hosts, so they are resolved, checked and dialled like webhooks. All data from a
 * server is counted before it is read (`server-limits.ts`).
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
import { within, type Limited } from './imap-command.ts'

/** Parts of one answer, such as flags or addresses. Far more than any answer to our commands contains. */
const MOST_TOKENS = 20_000

/** Milliseconds. */
const CONNECT_WITHIN = 10_000
/** Idling starts this soon after the last command. It is restarted often, because that shows whether the connection still works. */
const IDLE_AFTER = 20
const IDLE_AGAIN = 45_000
/**
 * A server that does not support idling is polled at this interval. A connection that died silently is detected after at most twice this time and
 * one `IDLE_AGAIN`: early enough for the alert within five minutes (`workflows/scheduled/watch-mailboxes.ts`).
 */
const SILENT_AT_MOST = 60_000

export interface ImapOptions {
  /** `ALLOW_PRIVATE_TARGETS`: permits private addresses, and connections to this machine without encryption. */
  allowPrivate: boolean
  resolve?: Resolve
  /** Factor for every time limit. Only tests use a value other than 1. */
  patience?: number
  /** Whether an address belongs to this machine. Only tests replace it. */
  isHere?: (address: string) => boolean
}

const isLoopback = (address: string): boolean => ipaddr.process(address).range() === 'loopback'

/**
 * Uses TLS from the first byte, or STARTTLS before anything else is sent. Only a server on this machine, where nobody can
 * listen, may have no encryption or a self-signed certificate.
 */
const secured = (
  tls: boolean,
  address: string,
  { allowPrivate, isHere = isLoopback }: ImapOptions,
): Partial<ImapFlowOptions> => {
  if (tls) return { secure: true, tls: { minVersion: 'TLSv1.2' } }
  return isHere(address) && allowPrivate
    ? { secure: false, tls: { rejectUnauthorized: false } }
    : { secure: false, doSTARTTLS: true, tls: { minVersion: 'TLSv1.2' } }
}

const clientFor = async (
  { host, port, tls, username, password }: Login,
  address: string,
  options: ImapOptions,
): Promise<Limited> => {
  const { patience = 1 } = options
  // Loaded with the first mailbox, because many installations never have one.
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
    // With compression, a few bytes could expand to any number of bytes.
    disableCompression: true,
    // Extensions would only add answers that must be limited too.
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
  // The call that waits for the error reports it, or the wait for new mails does.
  client.on('error', () => {}).on('response', () => limits.answered())
  return { client, limits, end: transport.end }
}

/**
 * Removes imapflow's handlers for unrequested data. A VANISHED of a few bytes can name millions of mails, with one event for
 * each.
 */
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
      // Another address would fail in the same way.
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
