/**
 * Mail servers by IMAP. Hosts are users' to name, so they are resolved, checked and dialled as webhooks are; what a server sends
 * is bounded, and a mail is fetched only up to a size in which a bank says all it has to say.
 */
import { isIP } from 'node:net'
import type { ImapFlow, ImapFlowOptions } from 'imapflow'
import ipaddr from 'ipaddr.js'
import type { Connection, FetchedMail, Login, MailServer } from '../../workflows/collect/mailbox.ts'
import { MailFailure } from '../../workflows/collect/mailbox.ts'
import { orAborted } from '../../workflows/abort.ts'
import { checkedAddresses } from '../webhook-sender/checked-addresses.ts'
import { openResolver, type Resolve } from '../webhook-sender/resolver.ts'
import { mailFailure } from './failure.ts'
import { parseMail } from './parse.ts'

/** Bytes of a mail that are fetched: what stands behind is cut off. */
const MAIL_BYTES = 1024 * 1024
const LONGEST_LINE = 8 * 1024 * 1024

/** Milliseconds. */
const CONNECT_WITHIN = 10_000
const CLOSE_WITHIN = 1_000
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
): Promise<ImapFlow> => {
  // Loaded with the first mailbox: many installations never have one.
  const { ImapFlow } = await import('imapflow')
  const client = new ImapFlow({
    host: address,
    port,
    ...(isIP(host) ? {} : { servername: host }),
    ...secured(tls, address, options),
    auth: { user: username, pass: password },
    logger: false,
    // A few bytes could become any number of them.
    disableCompression: true,
    clientInfo: { name: 'Baoco' },
    autoIdleDelay: IDLE_AFTER,
    maxIdleTime: IDLE_AGAIN,
    connectionTimeout: CONNECT_WITHIN,
    greetingTimeout: CONNECT_WITHIN,
    socketTimeout: SILENT_AT_MOST,
    maxLineLength: LONGEST_LINE,
    maxLiteralSize: 2 * MAIL_BYTES,
    maxResponseSize: 4 * MAIL_BYTES + LONGEST_LINE,
  })
  // Told by the call that waits for it, or by `close`.
  client.on('error', () => {})
  return client
}

const dial = async (login: Login, options: ImapOptions & { resolve: Resolve }): Promise<ImapFlow> => {
  const addresses = await checkedAddresses(login.host.replace(/\.$/, ''), options)
  let failure: unknown
  for (const address of addresses) {
    const client = await clientFor(login, address, options)
    try {
      await client.connect()
      return client
    } catch (error) {
      client.close()
      failure = error
      // Another address would say the same.
      if (mailFailure(error).isRefusal) break
    }
  }
  throw failure
}

/** Runs a command; a lost connection and a refusal are told in words. */
const command = async <Result>(work: () => Promise<Result>): Promise<Result> => {
  try {
    return await work()
  } catch (error) {
    throw mailFailure(error)
  }
}

const fetched = async (client: ImapFlow, uids: readonly number[]): Promise<FetchedMail[]> => {
  const mails: FetchedMail[] = []
  const wanted = { uid: true, internalDate: true, source: { start: 0, maxLength: MAIL_BYTES } }
  for await (const { uid, internalDate, source } of client.fetch([...uids].join(), wanted, { uid: true })) {
    const received_at = internalDate === undefined ? null : new Date(internalDate)
    if (source) mails.push(await parseMail(source, { uid, received_at }))
  }
  return mails.sort((a, b) => a.uid - b.uid)
}

/** Tells of new mails; one told before anybody waits is not forgotten. */
class Bell {
  #rung = false
  #wake = (): void => {}

  ring(): void {
    this.#rung = true
    this.#wake()
  }

  async rings(signal: AbortSignal): Promise<void> {
    if (!this.#rung) await orAborted(new Promise<void>((resolve) => (this.#wake = resolve)), signal)
    this.#rung = false
  }
}

const openFolder = async (client: ImapFlow, folder: string): Promise<Connection> => {
  const bell = new Bell()
  let isClosed = false
  client.on('exists', () => bell.ring())
  client.on('close', () => {
    isClosed = true
    bell.ring()
  })
  // Read-only: whether a mail was seen is its owner's to know.
  const { uidValidity, uidNext } = await client.mailboxOpen(folder, { readOnly: true }).catch((error: unknown) => {
    if (!client.usable) throw error
    throw new MailFailure(`There is no folder ${folder} in the mailbox.`)
  })
  const search = async (query: Parameters<ImapFlow['search']>[0]): Promise<number[]> => {
    const found = await command(() => client.search(query, { uid: true }))
    if (!found) throw new MailFailure('The server does not tell which mails there are.')
    return found.sort((a, b) => a - b)
  }
  return {
    uid_validity: String(uidValidity),
    // A server answers `n:*` with its last mail also where that is older.
    uidsAfter: async (uid) => (await search({ uid: `${uid + 1}:*` })).filter((each) => each > uid),
    // Asked for the few that came since, not for all that were there before.
    lastUidBefore: async (day) => ((await search({ since: day }))[0] ?? uidNext) - 1,
    fetch: (uids) => command(() => fetched(client, uids)),
    news: async (signal) => {
      await bell.rings(signal)
      if (isClosed && !signal.aborted) throw new MailFailure('The server closed the connection.')
    },
    close: async () => {
      const gone = client.usable ? client.logout().catch(() => {}) : Promise.resolve()
      let timer: NodeJS.Timeout | undefined
      await Promise.race([gone, new Promise((resolve) => (timer = setTimeout(resolve, CLOSE_WITHIN)))])
      clearTimeout(timer)
      client.close()
    },
  }
}

export const openImap = ({ resolve = openResolver(), ...given }: ImapOptions): MailServer => {
  const options = { ...given, resolve }
  return {
    connect: async (login, signal) => {
      const client = await command(() => dial(login, options))
      try {
        if (signal.aborted) throw new MailFailure('stopped')
        return await command(() => openFolder(client, login.folder))
      } catch (error) {
        client.close()
        throw error
      }
    },
  }
}
