/** An installation of Baoco on any set-up, with its servers and its first account. Tests and benchmarks use it like its owner does. */
import { mailAccountOf } from '../integration/mail-ingest/collecting.ts'
import {
  callApi,
  newDataFolder,
  readInstallation,
  removeDataFolder,
  startBaoco,
  type DataFolder,
  type Installation,
  type Running,
} from './baoco-process.ts'
import { fromVietcombank } from './bank-texts.ts'
import { commandInProcess } from './command-in-process.ts'
import { newFolderWithCluster } from './copied-cluster.ts'
import { startDovecot, type Dovecot } from './dovecot/server.ts'
import { roleProcesses, type RoleName, type RoleProcess } from './role-processes.ts'
import { openSetUp, type SetUp } from './servers.ts'
import { openShop, type Shop } from './shop.ts'

const OWN_MACHINE = { ALLOW_PRIVATE_TARGETS: '1', RATE_LIMITS: 'off' }

const MAILBOX = 'shop'

export interface WorldOptions<Used extends SetUp> {
  /** Opens the servers; default: everything is embedded. */
  servers?: () => Promise<Used>
  /** Settings besides those that name the servers. */
  env?: Record<string, string>
  /** Another way to start all of Baoco than `baoco serve`. */
  start?: (dataFolder: DataFolder, env: Record<string, string>) => Promise<Running>
  /** The embedded Postgres is made by Baoco, as for a user. Otherwise it is copied, if nothing is prepared. */
  isFirstStart?: boolean
  /** Runs on the data folder before anything starts there. */
  prepare?: (dataFolder: DataFolder) => Promise<void>
  /** Starts a process for each of these roles instead, each with its own data folder. A role may occur twice. */
  roles?: readonly RoleName[]
  /** The program of these processes. Default: Baoco of this checkout. */
  program?: string
  /** Adds a mailbox that is collected. */
  mailbox?: boolean
}

export class World<Used extends SetUp = SetUp> {
  readonly servers: Used
  readonly env: Record<string, string>
  readonly processes: ReturnType<typeof roleProcesses>
  /** The process that answers the API. */
  baoco!: Running
  installation!: Installation
  readonly #options: WorldOptions<Used>
  readonly #mailServer: Dovecot | null
  readonly #shops: Shop[] = []
  #dataFolder: DataFolder | null = null

  private constructor(servers: Used, mailServer: Dovecot | null, options: WorldOptions<Used>) {
    this.servers = servers
    this.#mailServer = mailServer
    this.#options = options
    this.env = { ...OWN_MACHINE, ...options.env, ...servers.env }
    this.processes = roleProcesses(this.env)
  }

  static async open<Used extends SetUp = SetUp>(options: WorldOptions<Used> = {}): Promise<World<Used>> {
    const openServers = options.servers ?? (() => openSetUp('embedded') as Promise<Used>)
    const [servers, mailServer] = await Promise.all([openServers(), options.mailbox ? startDovecot() : null])
    const world = new World(servers, mailServer, options)
    try {
      await (options.roles ? world.#startRoles(options.roles) : world.#startFirst())
      if (mailServer) await world.#create('/api/mail-accounts', mailAccountOf(mailServer, MAILBOX))
      return world
    } catch (error) {
      await world.close()
      throw error
    }
  }

  async #startFirst(): Promise<void> {
    const { prepare, isFirstStart } = this.#options
    const isOwn = isFirstStart || prepare || this.env.DATABASE_URL
    this.#dataFolder = await (isOwn ? newDataFolder() : newFolderWithCluster())
    await prepare?.(this.#dataFolder)
    await this.start()
    this.installation = readInstallation(this.#dataFolder, this.baoco.output())
  }

  async #startRoles(roles: readonly RoleName[]): Promise<void> {
    await Promise.all(roles.map((role) => this.processes.launch(role, this.#options.program)))
    await this.allReady()
    const [first] = this.founders()
    if (!first) throw new Error('no process printed the first account')
    this.baoco = first.running
    this.installation = readInstallation(first.dataFolder, first.running.output())
  }

  /** Starts Baoco again after it was stopped or killed. */
  async start(): Promise<void> {
    this.baoco = await (this.#options.start ?? startBaoco)(this.#dataFolder!, this.env)
  }

  /** The running processes of a role. */
  of(role: RoleName): RoleProcess[] {
    return this.processes.all.filter((each) => each.role === role && each.isRunning())
  }

  /** Starts one more process of a role and waits until it is ready. */
  async launch(role: RoleName, program?: string): Promise<RoleProcess> {
    const launched = await this.processes.launch(role, program)
    await launched.running.ready
    return launched
  }

  allReady(): Promise<unknown> {
    return Promise.all(this.processes.all.map(({ running }) => running.ready))
  }

  /** The processes that printed the first account. */
  founders(): RoleProcess[] {
    return this.processes.all.filter(({ role, running }) => role === 'api' && running.output().includes('API key'))
  }

  api(method: string, path: string, body?: unknown): ReturnType<typeof callApi> {
    return callApi(this.baoco, this.installation.apiKey, method, path, body)
  }

  async #create(path: string, body: object): Promise<unknown> {
    const answer = await this.api('POST', path, body)
    if (answer.status !== 201) throw new Error(`POST ${path}: ${answer.status} ${JSON.stringify(answer.body)}`)
    return answer.body.data
  }

  /**
   * Posts a bank's text to the personal URL. @param to  the process that receives it
   * @returns the id, or null if it was not accepted. It rejects if no process answers.
   */
  async post(text: string, to = this.baoco): Promise<number | null> {
    const url = new URL(fromVietcombank(this.installation.personalUrl))
    url.port = new URL(to.baseUrl).port
    const response = await fetch(url, { method: 'POST', body: text })
    const { data } = (await response.json()) as { data?: { id?: number } }
    return response.status === 200 ? (data?.id ?? null) : null
  }

  /** Opens an endpoint of a shop, which closes with the world. */
  async openShop(): Promise<Shop> {
    const shop = await openShop()
    this.#shops.push(shop)
    return shop
  }

  /** Creates a rule that calls the shop. */
  addRule({ url }: Shop): Promise<{ id: number; secret_key: string }> {
    return this.#create('/api/webhooks', { name: 'shop', url }) as Promise<{ id: number; secret_key: string }>
  }

  /** Delivers a mail to the mailbox. */
  async deliverMail(mail: string): Promise<void> {
    await this.#mailServer!.deliver(MAILBOX, mail)
  }

  /** Compares the read models with a rebuild from the first event. @returns what the command prints */
  verifyReadModels(): Promise<string> {
    return this.baocoCommand('replay', '--verify')
  }

  /** Runs a command of the operator on the installation. @returns what it prints · @throws if it fails */
  baocoCommand(...args: string[]): Promise<string> {
    return this.baocoCommandWith({}, ...args)
  }

  /** The same with other settings. */
  async baocoCommandWith(env: Record<string, string>, ...args: string[]): Promise<string> {
    const settings = { PATH: process.env.PATH, BAOCO_DATA_DIR: this.installation.dataDir, ...this.env, ...env }
    const { status, stdout, stderr } = await commandInProcess(args, settings)
    if (status !== 0) throw new Error(`baoco ${args.join(' ')} ended with ${status}:\n${stdout}${stderr}`)
    return stdout
  }

  /** The sum of one metric over all its labels; 0 if the metric does not exist yet. */
  async metric(name: string): Promise<number> {
    const text = await (await fetch(`${this.baoco.baseUrl}/metrics`)).text()
    return text
      .split('\n')
      .filter((line) => line.startsWith(`${name} `) || line.startsWith(`${name}{`))
      .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' ') + 1)), 0)
  }

  /** @param options.keepsData  leaves the data folder, for a look at it afterwards */
  async close({ keepsData = false } = {}): Promise<void> {
    // The process of a failed start has been killed already.
    await Promise.all([this.baoco?.kill(), this.processes.close()])
    await Promise.all(this.#shops.map((shop) => shop.close()))
    if (this.#dataFolder && !keepsData) await removeDataFolder(this.#dataFolder)
    await Promise.all([this.servers.close(), this.#mailServer?.remove()])
  }
}
