/** Runs Baoco as processes of each role, on its own servers, so that each can be stopped or damaged alone. */
import { mailAccountOf } from '../../integration/mail-ingest/collecting.ts'
import { callApi, readInstallation, type Installation } from '../../harness/baoco-process.ts'
import { startDovecot } from '../../harness/dovecot/server.ts'
import { EVERY_ROLE, roleProcesses, type RoleName, type RoleProcess } from '../../harness/role-processes.ts'
import { startServers, type Servers } from '../../harness/servers.ts'

export const TOPIC = 'baoco.transactions'

/** Shifts the clock of a process: `tests/chaos/oracle/clock-jump.mjs`. */
const CLOCK = new URL('clock-jump.mjs', import.meta.url).pathname

const MAILBOX = 'shop'

export interface World extends Servers {
  installation: Installation
  /** Delivers a mail to the mailbox that is collected. */
  deliverMail(mail: string): Promise<void>
  api(method: string, path: string, body?: unknown): ReturnType<typeof callApi>
  /** The running processes of a role. */
  of(role: RoleName): RoleProcess[]
  /** Starts one more process of a role and waits until it is ready. */
  launch(role: RoleName): Promise<RoleProcess>
}

/** @param env  settings besides those that name the servers */
export const startWorld = async (env: Record<string, string>): Promise<World> => {
  const [servers, mailServer] = await Promise.all([startServers(), startDovecot()])
  const processes = roleProcesses({
    ...servers.env,
    KAFKA_TOPIC: TOPIC,
    ALLOW_PRIVATE_TARGETS: '1',
    RATE_LIMITS: 'off',
    NODE_OPTIONS: `--import ${CLOCK}`,
    ...env,
  })
  const launch = async (role: RoleName): Promise<RoleProcess> => {
    const launched = await processes.launch(role)
    await launched.running.ready
    return launched
  }
  const close = async () => {
    await processes.close()
    await Promise.all([servers.close(), mailServer.remove()])
  }
  try {
    const { running, place } = await launch('api')
    const installation = readInstallation(place, running.output())
    await Promise.all([...EVERY_ROLE.slice(1), 'deliver' as const].map(launch))
    const one = processes.all[0]!
    const api: World['api'] = (method, path, body) => callApi(one.running, installation.apiKey, method, path, body)
    const added = await api('POST', '/api/mail-accounts', mailAccountOf(mailServer, MAILBOX))
    if (added.status !== 201) throw new Error(`a mail account was not taken: ${JSON.stringify(added.body)}`)
    return {
      ...servers,
      installation,
      deliverMail: (mail) => mailServer.deliver(MAILBOX, mail),
      api,
      of: (role) => processes.all.filter((each) => each.role === role && each.isRunning()),
      launch,
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}
