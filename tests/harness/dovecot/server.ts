/** A real IMAP server: a Dovecot process with its own ports and folder. Every user name has a mailbox. */
import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { chmodSync, chownSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rename, rm, utimes, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { freePorts } from '../free-ports.ts'
import { CERTIFICATE, KEY } from '../kafka/certificate.ts'
import { launchServer, startOwnServer, type OwnServer } from '../own-server.ts'
import { PROGRAM } from './install.ts'

/** The password of every user. */
export const PASSWORD = 'app-password-of-16'

export interface Dovecot extends OwnServer {
  /** Plain text, and STARTTLS if the client requests it. */
  port: number
  /** TLS from the first byte. */
  securePort: number
  /** Delivers a mail to a user's inbox, like a mail server. */
  deliver(user: string, mail: string, receivedAt?: Date): Promise<void>
  /** Renumbers the mailbox, as after a restored backup: it gets another UIDVALIDITY. */
  renumber(user: string): Promise<void>
  /** Removes all mails of a mailbox while the server is stopped. New ones are numbered from 1 again. */
  empty(user: string): Promise<void>
}

/**
 * Started by root, Dovecot runs as root and the mailboxes belong to nobody. Any other user runs all of it as that user. Dovecot needs group
 * names.
 */
const identity = () => {
  const { uid, gid, username } = userInfo()
  return uid === 0
    ? { uid: 65_534, gid: 65_534, internal: 'dovecot', login: 'dovenull', group: 'dovecot' }
    : { uid, gid, internal: username, login: username, group: execFileSync('id', ['-gn'], { encoding: 'utf8' }).trim() }
}

const configuration = (folder: string, port: number, securePort: number): string => {
  const { uid, gid, internal, login, group } = identity()
  return `
base_dir = ${folder}/run
state_dir = ${folder}/run
log_path = ${folder}/log
protocols = imap
listen = 127.0.0.1
default_internal_user = ${internal}
default_internal_group = ${group}
default_login_user = ${login}
default_client_limit = 4000
default_process_limit = 1000
first_valid_uid = 1
first_valid_gid = 1
mail_max_userip_connections = 0
mail_location = maildir:${folder}/mail/%u
ssl = yes
ssl_cert = <${folder}/certificate.pem
ssl_key = <${folder}/key.pem
disable_plaintext_auth = no
auth_failure_delay = 0
passdb {
  driver = static
  args = password=${PASSWORD}
}
userdb {
  driver = static
  args = uid=${uid} gid=${gid} home=${folder}/mail/%u
}
service imap-login {
  chroot =
  service_count = 0
  process_min_avail = 1
  client_limit = 2000
  inet_listener imap {
    port = ${port}
  }
  inet_listener imaps {
    port = ${securePort}
    ssl = yes
  }
}
service imap {
  client_limit = 50
  process_limit = 100
  service_count = 0
}
service anvil {
  chroot =
}
service stats {
  chroot =
}
`
}

const answers = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('data', () => resolve(true)).once('error', () => resolve(false))
    socket.once('data', () => socket.destroy())
  })

/** @throws if Dovecot is missing */
export const startDovecot = async (tls = { certificate: CERTIFICATE, key: KEY }): Promise<Dovecot> => {
  // The folder must be on a disk: in memory, Dovecot does not notice new mails in hundreds of mailboxes by itself.
  const folder = await mkdtemp(join('/tmp', 'baoco-dovecot-'))
  chmodSync(folder, 0o755)
  const [port = 0, securePort = 0] = await freePorts(2)
  const { uid, gid } = identity()
  const mails = join(folder, 'mail')
  const own = (path: string) => chownSync(path, uid, gid)
  await mkdir(mails)
  own(mails)
  await writeFile(join(folder, 'certificate.pem'), tls.certificate)
  await writeFile(join(folder, 'key.pem'), tls.key, { mode: 0o600 })
  const settings = join(folder, 'dovecot.conf')
  await writeFile(settings, configuration(folder, port, securePort))

  /** Creates the folders of a maildir, owned by its user. */
  const inbox = async (user: string): Promise<string> => {
    const box = join(mails, user)
    for (const path of [box, join(box, 'tmp'), join(box, 'new'), join(box, 'cur')]) {
      await mkdir(path, { recursive: true })
      own(path)
    }
    return box
  }

  const launch = () => launchServer([PROGRAM, '-F', '-c', settings], { isUp: () => answers(port) })
  return {
    ...(await startOwnServer({ folder, launch })),
    port,
    securePort,
    deliver: async (user, mail, receivedAt = new Date()) => {
      const box = await inbox(user)
      const name = `${Math.floor(Date.now() / 1000)}.${randomUUID()}.test`
      await writeFile(join(box, 'tmp', name), mail.replaceAll(/\r?\n/g, '\r\n'))
      own(join(box, 'tmp', name))
      await utimes(join(box, 'tmp', name), receivedAt, receivedAt)
      await rename(join(box, 'tmp', name), join(box, 'new', name))
    },
    renumber: async (user) => {
      const box = await inbox(user)
      for (const name of await readdir(box))
        if (name.startsWith('dovecot')) await rm(join(box, name), { recursive: true })
    },
    empty: async (user) => rm(await inbox(user), { recursive: true }),
  }
}
