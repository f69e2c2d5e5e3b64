/**
 * A world on EventStoreDB, Kafka and Postgres with two processes of every role, a shop and a mailbox. It sends notifications, causes faults,
 * and checks what must hold.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { expect } from 'chai'
import { openEventStore } from '../../cmd/process/open-event-store.ts'
import { readSettings } from '../../cmd/settings/settings.ts'
import type { EventStore } from '../../domain/ports.ts'
import { vietcombankText } from '../harness/bank-texts.ts'
import { eventually } from '../harness/eventually.ts'
import { sharedKafka } from '../harness/kafka/needs-kafka.ts'
import { repetitions } from '../harness/repetitions.ts'
import { EVERY_ROLE, type RoleName, type RoleProcess } from '../harness/role-processes.ts'
import { startServers, type Servers } from '../harness/servers.ts'
import type { Shop } from '../harness/shop.ts'
import { World } from '../harness/world.ts'
import { Mailbox } from './mailbox.ts'

const SENDERS = 3
/** Prevents the test's own load from delaying the test. `npm run reliability` posts more often. */
const BETWEEN_POSTS_MS = repetitions(60, 400)
const MAILS_A_ROUND = 15

export interface Sent {
  text: string
  amount: string
  orderId: string
}

export class Pairs {
  readonly world: World<Servers>
  readonly shop: Shop
  readonly mailbox: Mailbox
  readonly of: Record<RoleName, RoleProcess[]>
  /** By id, the notifications that were answered with 2xx. */
  readonly accepted = new Map<number, Sent>()
  #numbers = 0
  /** The name under which each delivery process claims. */
  readonly #workers = new Map<RoleProcess, string>()
  readonly #known = new Set<string>()
  #learning: Promise<void> = Promise.resolve()
  /** Attempts that killed workers had claimed, recorded or not: `transaction attempt` and the time. */
  readonly #claimedAtKill: { call: string; at: number }[] = []

  private constructor(world: World<Servers>, shop: Shop) {
    this.world = world
    this.shop = shop
    this.mailbox = new Mailbox((mail) => world.deliverMail(mail))
    this.of = Object.fromEntries(EVERY_ROLE.map((role) => [role, world.of(role)])) as Record<RoleName, RoleProcess[]>
  }

  static async open(): Promise<Pairs> {
    const world = await World.open({
      servers: () => startServers(sharedKafka()),
      env: { RETRY_SCHEDULE: '1,1,1,1,1,1' },
      roles: EVERY_ROLE,
      mailbox: true,
    })
    try {
      const shop = await world.openShop()
      const pairs = new Pairs(world, shop)
      await pairs.#learnWorker(pairs.of.deliver[0]!)
      await Promise.all(EVERY_ROLE.map(async (role) => pairs.of[role].push(await world.launch(role))))
      await pairs.#learnWorker(pairs.of.deliver[1]!)
      await world.addRule(shop)
      return pairs
    } catch (error) {
      await world.close()
      throw error
    }
  }

  get servers(): Servers {
    return this.world.servers
  }

  close(): Promise<void> {
    return this.world.close()
  }

  // --- what is sent --------------------------------------------------------------------------------------------------

  next(): Sent {
    const number = ++this.#numbers
    const amount = 100_000 + number
    const orderId = `DH${10_000 + number}`
    return { text: vietcombankText(number, orderId, { amount }), amount: `${amount}.00`, orderId }
  }

  /** @returns the id, or null if it was not accepted */
  post(api: RoleProcess, { text }: Sent): Promise<number | null> {
    return this.world.post(text, api.running).catch(() => null)
  }

  /** Repeats a notification like a phone, to any process that answers, until it is accepted. */
  async postUntilAccepted(sent: Sent): Promise<void> {
    for (let tries = this.#numbers; ; tries++) {
      const id = await this.post(this.of.api[tries % 2]!, sent)
      if (id !== null) return void this.accepted.set(id, sent)
      await pause(50)
    }
  }

  async underLoad(work: () => Promise<void>): Promise<void> {
    let isOver = false
    const senders = Array.from({ length: SENDERS }, async () => {
      while (!isOver) {
        await this.postUntilAccepted(this.next())
        await pause(BETWEEN_POSTS_MS)
      }
    })
    try {
      await work()
    } finally {
      isOver = true
      await Promise.all(senders)
    }
  }

  // --- what befalls its processes ------------------------------------------------------------------------------------

  /**
   * Kills the process whose call the shop has received and not answered, so that its claim is certainly open. All first attempts of one user are
   * in one partition, and so in one process.
   */
  async killBusyWorker(): Promise<void> {
    await this.#learning
    const before = this.shop.calls.length
    await this.shop.withhold(async () => {
      const worker = await eventually(
        async () => {
          for (const { transaction_id, attempt } of this.#calls().slice(before)) {
            const [claim] = await this.servers.database.query<{ worker: string }>(
              'SELECT worker FROM ops.claim WHERE transaction_id = $1 AND attempt = $2',
              [transaction_id, attempt],
            )
            const process = claim && this.of.deliver.find((each) => this.#workers.get(each) === claim.worker)
            if (process) return process
          }
          return null
        },
        { within: 60_000, what: 'a worker whose call is not answered' },
      )
      await this.killWorker(worker)
    })
  }

  async killWorker(process: RoleProcess): Promise<void> {
    await this.#learning
    await process.kill()
    const at = Date.now()
    const claims = await this.servers.database.query<{ transaction_id: number; attempt: number }>(
      'SELECT transaction_id, attempt FROM ops.claim WHERE worker = $1',
      [this.#workers.get(process)],
    )
    this.#claimedAtKill.push(
      ...claims.map(({ transaction_id, attempt }) => ({ call: `${transaction_id} ${attempt}`, at })),
    )
    process.start()
    this.#learning = this.#learnWorker(process)
    this.#learning.catch(() => {})
  }

  /** Delivers mails and kills a collector. @param inTheMiddle  kills the one that reads the mailbox, once it has taken the first mail */
  async killCollector(victim: RoleProcess, inTheMiddle: boolean): Promise<void> {
    const collectors = this.of.collect
    const reads = async () => {
      const metrics = await Promise.all(collectors.map((process) => process.metrics().catch(() => '')))
      return collectors.find((_, index) => metrics[index]!.includes('\nbaoco_mailboxes_held 1\n'))
    }
    const reader = inTheMiddle && (await eventually(reads, { within: 60_000, what: 'one that reads the mailbox' }))
    // It decides them itself, or hands them over to the owner of the account.
    const taken = async (process: RoleProcess) =>
      (await process.metrics()).match(/^baoco_notifications(?:_handed_over)?_total.*/gm)?.join()
    const before = reader && (await taken(reader))
    await this.mailbox.receive(MAILS_A_ROUND)
    if (reader) await eventually(async () => (await taken(reader)) !== before, { within: 60_000, what: 'a taken mail' })
    await (reader || victim).replace()
  }

  /** Remembers the name of a delivery process that was just started. It must be the only new one. */
  async #learnWorker(process: RoleProcess): Promise<void> {
    await process.running.ready
    const rows = () => this.servers.database.query<{ worker: string }>('SELECT worker FROM ops.worker')
    const fresh = await eventually(async () => (await rows()).find(({ worker }) => !this.#known.has(worker)))
    this.#known.add(fresh.worker)
    this.#workers.set(process, fresh.worker)
  }

  // --- what must hold ------------------------------------------------------------------------------------------------

  async nothingIsLostOrAltered(): Promise<void> {
    const { accepted, mailbox } = this
    await this.#allDelivered()
    for (const { transaction_id, amount, order_id } of this.#calls()) {
      const sent = accepted.get(transaction_id) ?? { orderId: order_id, amount: mailbox.mailed.get(order_id) }
      expect({ amount, order_id }, `transaction ${transaction_id}`).to.deep.equal({
        amount: sent.amount,
        order_id: sent.orderId,
      })
    }
    const captured = await this.#withStore(async (store) =>
      (await store.readAll(null, 1_000_000)).filter(({ type }) => type === 'TransactionCaptured'),
    )
    const pending = captured.filter(({ data }) => (data as { webhook_status: string }).webhook_status === 'pending')
    expect(
      pending.map(({ data }) => (data as { transaction_id: number }).transaction_id).sort(),
      'each is there once',
    ).to.deep.equal([...accepted.keys(), ...mailbox.expectEachOnce(captured)].sort())
  }

  /** `transaction attempt` of the calls that the shop received again. There is one rule. */
  repeatedCalls(): string[] {
    const seen = new Set<string>()
    return this.#calls()
      .map(({ transaction_id, attempt }) => `${transaction_id} ${attempt}`)
      .filter((call) => seen.size === seen.add(call).size)
  }

  /** The attempts that killed workers had claimed and not recorded, after other workers have made and recorded them. */
  openAtKill(): Promise<Set<string>> {
    return this.#withStore(async (store) => {
      const recorded = await eventually(
        async () => {
          const attempts = await attemptsIn(store)
          return this.#claimedAtKill.every(({ call }) => attempts.has(call)) && attempts
        },
        { within: 120_000, what: 'every claim of a killed worker recorded' },
      )
      return new Set(this.#claimedAtKill.flatMap(({ call, at }) => (recorded.get(call)! > at ? [call] : [])))
    })
  }

  async readModelsAreAsRebuilt(): Promise<void> {
    expect(await this.world.verifyReadModels()).to.contain('every row matches the rebuilt one')
  }

  #calls() {
    return this.shop.calls.map((call) => ({
      ...(JSON.parse(call.body) as { transaction_id: number; amount: string; order_id: string }),
      attempt: call.headers['x-webhook-attempt'],
    }))
  }

  #allDelivered(): Promise<true> {
    return eventually(
      () => {
        const reached = new Set(this.#calls().flatMap(({ transaction_id, order_id }) => [transaction_id, order_id]))
        const missing = [...this.accepted.keys(), ...this.mailbox.mailed.keys()].filter((each) => !reached.has(each))
        if (missing.length > 0)
          throw new Error(`${missing.length} not delivered, such as ${missing.slice(0, 5).join()}`)
        return true as const
      },
      { within: 120_000, what: 'every accepted notification and every mail delivered' },
    )
  }

  async #withStore<Result>(look: (store: EventStore) => Promise<Result>): Promise<Result> {
    const store = await openEventStore(readSettings(this.servers.env), this.servers.env.DATABASE_URL!)
    return look(store).finally(() => store.close())
  }
}

/** When each attempt, `transaction attempt`, was recorded. */
const attemptsIn = async (store: EventStore): Promise<Map<string, number>> => {
  const recorded = new Map<string, number>()
  for (const { type, data, metadata } of await store.readAll(null, 1_000_000)) {
    const { transaction_id, attempt } = data as { transaction_id: number; attempt: number }
    if (type === 'WebhookAttempted') recorded.set(`${transaction_id} ${attempt}`, Date.parse(metadata.at))
  }
  return recorded
}
