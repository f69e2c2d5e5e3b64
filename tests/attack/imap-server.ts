/** A mail server for attacks: it is honest, and each of its steps can be replaced. */
import { once } from 'node:events'
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net'

export interface Command {
  tag: string
  /** The name in upper case, without UID: `SEARCH`. */
  name: string
  line: string
  socket: Socket
  /** Writes a line. */
  say(line: string): void
}

export interface Sabotage {
  /** Replaces the greeting. */
  greet?: (socket: Socket) => void
  /** Replaces the answer to the command of this name. */
  on?: Record<string, (command: Command) => void>
  capabilities?: string
  /** How the server fails to return the mail with this UID. Undefined: it returns the mail. */
  refuses?: (uid: number) => Refusal | undefined
  /** When mails arrived, as the server says. Default: now. */
  arrivedAt?: string
}

/** The answer NO to the whole command, NO after the other mails, no answer, one without a body or with an empty one, or a broken connection. */
export type Refusal = 'no' | 'no, after the others' | 'nothing' | 'no body' | 'nil' | 'empty' | 'breaks'

export interface ImapServer {
  port: number
  /** Everything that clients sent. */
  received: string[]
  connections: () => number
  /** Adds a new mail and reports it to clients that idle. */
  deliver(mail: string): void
  /** Deletes the mail with this UID. */
  remove(uid: number): void
  sabotage: Sabotage
  close(): void
}

/** Writes the same piece repeatedly, as long and as fast as the client reads it. */
export const flood = (socket: Socket, piece: string | Buffer): void => {
  const more = (): void => {
    while (!socket.destroyed && socket.write(piece));
    if (!socket.destroyed) socket.once('drain', () => setImmediate(more))
  }
  more()
}

/** Writes one byte per interval. */
export const drip = (socket: Socket, milliseconds: number, byte = 'x'): void => {
  const timer = setInterval(() => (socket.destroyed ? clearInterval(timer) : socket.write(byte)), milliseconds)
  socket.on('close', () => clearInterval(timer))
}

export const startImapServer = async (sabotage: Sabotage = {}): Promise<ImapServer> => {
  const mails: string[] = []
  const removed = new Set<number>()
  const received: string[] = []
  const open = new Set<Socket>()
  const idling = new Set<Socket>()

  const uidsIn = (set: string): number[] =>
    set.split(',').flatMap((part) => {
      const [from = 0, to = from] = part.split(':').map((end) => (end === '*' ? mails.length : Number(end)))
      const [low, high] = [Math.min(from, to), Math.max(from, to)]
      return mails.map((_, at) => at + 1).filter((uid) => uid >= low && uid <= high && !removed.has(uid))
    })

  const honest: Record<string, (command: Command) => void> = {
    CAPABILITY: ({ say }) => say(`* CAPABILITY IMAP4rev1 IDLE ${server.sabotage.capabilities ?? ''}`.trimEnd()),
    LIST: ({ say }) => say('* LIST (\\HasNoChildren) "/" INBOX'),
    EXAMINE: ({ say }) => {
      say(`* ${mails.length} EXISTS`)
      say('* OK [UIDVALIDITY 7] valid')
      say(`* OK [UIDNEXT ${mails.length + 1}] next`)
    },
    SEARCH: ({ line, say }) =>
      say(`* SEARCH ${uidsIn(/UID ([\d:*,]+)/.exec(line.replace('UID SEARCH', ''))![1]!).join(' ')}`.trimEnd()),
    FETCH: ({ line, socket, say }) => {
      const uids = uidsIn(/FETCH ([\d:*,]+)/.exec(line)![1]!)
      const isForBody = line.includes('BODY')
      for (const uid of uids) {
        const refusal = isForBody ? server.sabotage.refuses?.(uid) : undefined
        if (refusal === 'breaks') return void socket.destroy()
        if (refusal === 'no body') say(`* ${uid} FETCH (UID ${uid} FLAGS (\\Seen))`)
        if (refusal === 'nil') say(`* ${uid} FETCH (UID ${uid} BODY[]<0> NIL)`)
        if (refusal === 'empty') say(`* ${uid} FETCH (UID ${uid} BODY[]<0> "")`)
        if (refusal) continue
        const mail = Buffer.from(mails[uid - 1]!)
        const now = new Date().toUTCString().replace(/^\w+, (\d+) (\w+) (\d+) (\S+) GMT$/, '$1-$2-$3 $4 +0000')
        const at = server.sabotage.arrivedAt ?? now
        if (!isForBody) {
          say(`* ${uid} FETCH (UID ${uid} INTERNALDATE "${at}" RFC822.SIZE ${mail.length})`)
          continue
        }
        socket.write(`* ${uid} FETCH (UID ${uid} INTERNALDATE "${at}" BODY[]<0> {${mail.length}}\r\n`)
        socket.write(Buffer.concat([mail, Buffer.from(')\r\n')]))
      }
    },
    LOGOUT: ({ say }) => say('* BYE'),
  }

  const answer = (socket: Socket, line: string): void => {
    const [tag = '', first = '', second = ''] = line.split(' ')
    const name = (first.toUpperCase() === 'UID' ? second : first).toUpperCase()
    const say = (text: string) => void socket.write(`${text}\r\n`)
    const command: Command = { tag, name, line, socket, say }
    if (tag === 'DONE') return say(`${idleTags.get(socket)} OK done`)
    if (name === 'IDLE') {
      idleTags.set(socket, tag)
      idling.add(socket)
      say('+ idling')
      // Report mails that arrived since the last command.
      if (mails.length > 0) say(`* ${mails.length} EXISTS`)
      return server.sabotage.on?.IDLE?.(command)
    }
    const other = server.sabotage.on?.[name]
    if (other) return other(command)
    const asked = name === 'FETCH' && line.includes('BODY') ? uidsIn(/FETCH ([\d:*,]+)/.exec(line)![1]!) : []
    const refusals = new Set(asked.map((uid) => server.sabotage.refuses?.(uid)))
    if (refusals.has('no')) return say(`${tag} NO [SERVERBUG] Internal error occurred.`)
    honest[name]?.(command)
    if (refusals.has('no, after the others')) return say(`${tag} NO Some messages could not be FETCHed (Failure)`)
    if (!socket.destroyed) say(`${tag} OK done`)
    if (name === 'LOGOUT') socket.end()
  }
  const idleTags = new Map<Socket, string>()

  const tcp: Server = createServer((socket) => {
    open.add(socket)
    let rest = ''
    socket
      .on('error', () => {})
      .on('close', () => {
        open.delete(socket)
        idling.delete(socket)
      })
    socket.setEncoding('latin1').on('data', (data: string) => {
      const lines = (rest + data).split('\r\n')
      rest = lines.pop()!
      for (const line of lines) {
        received.push(line)
        answer(socket, line)
      }
    })
    if (server.sabotage.greet) server.sabotage.greet(socket)
    else socket.write('* OK ready\r\n')
  }).listen(0, '127.0.0.1')
  await once(tcp, 'listening')

  const server: ImapServer = {
    port: (tcp.address() as AddressInfo).port,
    received,
    connections: () => open.size,
    deliver: (mail) => {
      mails.push(mail)
      for (const socket of idling) socket.write(`* ${mails.length} EXISTS\r\n`)
    },
    remove: (uid) => removed.add(uid),
    sabotage,
    close: () => {
      tcp.close()
      for (const socket of open) socket.destroy()
    },
  }
  return server
}
