/** Makes requests that fit the document and are meaningful: ids of resources that exist, URLs that answer. */
import { newToken } from '../../../workflows/accounts/secrets.ts'
import { issue, type MailPurpose } from '../../../domain/account/mail-tokens.ts'
import { makeSignInLink } from '../../../adapters/postgres/ops/sign-in-links.ts'
import { openIds } from '../../../adapters/system/ids.ts'
import { openAffiliates } from '../../../workflows/affiliate/affiliates.ts'
import { mailLinks } from '../../../workflows/accounts/mail-links.ts'
import { openInbox } from '../../../workflows/accounts/inboxes.ts'
import type { Located, Schema } from '../../harness/openapi/document.ts'
import { BASE_URL, JWT_SECRET } from '../http/api-under-test.ts'
import { bankText, next, shown, type Caller, type Sent, type World } from './world.ts'
import { succeeds } from '../../harness/outcomes.ts'

type Fields = Record<string, unknown>

/** The API answers once an event is stored. The lists follow later. */
const listed = async ({ api }: World): Promise<void> => {
  const end = await api.store.end()
  if (end !== null) await api.shown(end)
}

/** Makes a resource if no POST to its collection does. */
const MAKERS: Record<string, (world: World, caller: Caller) => Promise<number>> = {
  '/api/transactions': async (world, caller) => {
    const { body } = await world.send(personal(caller))
    await listed(world)
    return (body.data as { id: number }).id
  },
  '/api/notifications': async (world, caller) => {
    const key = caller.api_key
    const unread = async () => (await world.api.ask('GET', '/api/notifications?status=unparsed', { key })).body
    const { total } = await unread()
    const { body } = await world.send(personal(caller, `Ngan hang la: TK 99${next()} +100,000 don vi, khong ro`))
    if (body.data.reason !== 'unparsed') throw new Error(`that text is ${JSON.stringify(body.data)}`)
    await listed(world)
    const now = await unread()
    if (now.total <= total) throw new Error('that text is not in the list')
    return now.data[0].id as number
  },
  '/api/jobs': async ({ api }, { api_key: key, user_id }) => {
    const begin = () => api.ask('POST', '/api/webhooks/bulk-retry', { key, json: { filter: {} } })
    const { body } = await begin()
    if (body.job_id !== undefined) return body.job_id as number
    // Nothing works on jobs here, so as many run as an account may have.
    const running = await api.database.query<{ job_id: number }>(
      "SELECT job_id FROM read_model.job WHERE user_id = $1 AND status = 'running'",
      [user_id],
    )
    for (const { job_id } of running) await api.ask('DELETE', `/api/jobs/${job_id}`, { key })
    return (await begin()).body.job_id as number
  },
  '/api/bank-accounts': async (world, caller) => {
    for (;;) {
      const { body } = await world.api.ask('GET', '/api/bank-accounts', { key: caller.api_key })
      if (body.data.length > 0) return body.data[0].id as number
      await world.send(personal(caller))
    }
  },
}

const personal = (caller: Caller, body = bankText()): Sent => ({
  method: 'POST',
  path: `/api/receive/u/${caller.receive_token}?sender=Vietcombank`,
  headers: { 'content-type': 'text/plain' },
  body,
})

/** Gives a field of a body a meaningful value, whatever its schema allows; undefined omits it. */
const FIELDS: Record<string, (world: World, caller: Caller, given: unknown) => unknown> = {
  payment_prefix: () => `P${next().toString(36).toUpperCase().padStart(4, '0')}`,
  email: () => `box${next()}@example.com`,
  host: () => '127.0.0.1',
  port: () => 9,
  site_url: () => `https://shop${next()}.example`,
  url: ({ shopUrl }) => shopUrl,
  webhook_url: ({ shopUrl }) => shopUrl,
  system_id: () => null,
  scopes: () => ['read'],
  expires_at: () => null,
  /** There is no rotation to finish. */
  finish: () => undefined,
  payload_format: () => 'custom',
  custom_template: () => '{"order": "{{order_id}}", "amount": "{{amount}}"}',
}

const links = mailLinks(JWT_SECRET, BASE_URL)

/** Makes the token of a link, as if the mail had arrived. */
const mailToken = async ({ api }: World, { user_id }: Caller, purpose: MailPurpose): Promise<string> => {
  const made = links.make(purpose, user_id)
  // The append may conflict with another change of the account, so it is repeated.
  const issued = () => succeeds(api.decree(user_id, issue(user_id, purpose, made, new Date())))
  while (!(await issued()));
  return links.url(purpose, user_id, made.nonce).split('token=')[1]!
}

/** Gives the caller an amount to withdraw, and a bank account to withdraw it to. */
const earn = async ({ api }: World, { user_id, api_key }: Caller): Promise<void> => {
  const affiliates = openAffiliates({ store: api.store, ids: openIds(api) })
  const caused_by = `test ${next()}`
  const occasion = { user_id, at: new Date(), correlation_id: 'test', causation_id: caused_by }
  await affiliates.earn(occasion, { user_id, amount: '1000.00', referred_user_id: 999, plan_order_id: 998, caused_by })
  const bank = { bank_code: 'VCB', account_number: '0011000415567', account_name: 'NGUYEN VAN A' }
  await api.ask('PUT', '/api/affiliate/bank', { key: api_key, json: bank })
}

/** Whole bodies, for operations whose schema cannot express which values are valid. */
const RECIPES: Record<string, (world: World, caller: Caller) => unknown> = {
  'post-api-auth-login': (_, { email, password }) => ({ email, password }),
  'post-api-session': (_, { email, password }) => ({ email, password }),
  'post-api-session-link': async ({ api }, { user_id }) => {
    const token = await makeSignInLink(api.database, (await api.accounts.find(user_id))!)
    return { token }
  },
  'post-api-auth-register': (_, { password }) => ({ email: `new${next()}@example.com`, password }),
  'post-api-auth-verify-email': async (world, caller) => ({ token: await mailToken(world, caller, 'verify_email') }),
  'post-api-auth-reset-password': async (world, caller) => ({
    token: await mailToken(world, caller, 'reset_password'),
    password: caller.password,
  }),
  'post-api-affiliate-withdraw': async (world, caller) => {
    await earn(world, caller)
    return { amount: 1 }
  },
  'post-api-receive-pair': async (world, caller) => {
    const { body } = await world.api.ask('POST', '/api/devices', { key: caller.api_key, json: { name: 'to pair' } })
    await makeRoom(world, caller, '/api/devices', body.data.id as number)
    return { code: body.data.pairing_code as string }
  },
}

/** The number of resources of a collection that a caller keeps at most. Other tests cover the limits of plans. */
const KEPT = 4
const kept = new WeakMap<Caller, Map<string, number[]>>()

/** `/api/webhooks` for all paths below `/api/webhooks/{id}`. */
export const collectionOf = (path: string): string | null => /^(.*?)\/\{id\}/.exec(path)?.[1] ?? null

const at = (world: World, method: string, path: string): Located | undefined =>
  world.operations.find((each) => each.method === method && each.path === path)

/** Deletes resources made long ago, so that no limit is reached. */
const makeRoom = async (world: World, caller: Caller, collection: string, id: number): Promise<void> => {
  const mine = kept.get(caller) ?? new Map<string, number[]>()
  kept.set(caller, mine)
  const ids = [...(mine.get(collection) ?? []), id]
  mine.set(collection, ids)
  if (ids.length <= KEPT || !at(world, 'DELETE', `${collection}/{id}`)) return
  await world.api.ask('DELETE', `${collection}/${ids.shift()}`, { key: caller.api_key })
}

/** Counts a created resource as the caller's. */
export const noteMade = async (world: World, caller: Caller, operation: Located, body: Fields): Promise<void> => {
  const { id } = (body.data ?? {}) as { id?: unknown }
  if (operation.method === 'POST' && typeof id === 'number' && !operation.path.includes('{'))
    await makeRoom(world, caller, operation.path, id)
}

/**
 * Makes a resource of a collection for a caller, through the API.
 * @param stays the resource is not deleted when others are made
 */
export const make = async (world: World, caller: Caller, collection: string, stays = false): Promise<number> => {
  const maker = MAKERS[collection]
  if (maker) return maker(world, caller)
  const creation = at(world, 'POST', collection)
  if (!creation) throw new Error(`How does a thing of ${collection} come to be? Say it in MAKERS.`)
  const { status, body } = await world.send(
    await requestOf(world, creation, caller, { body: minimal(world, creation) }),
  )
  if (status !== 201) throw new Error(`${collection}: ${status} ${JSON.stringify(body)}`)
  if (!stays) await noteMade(world, caller, creation, body as Fields)
  return body.data.id as number
}

const resolved = (world: World, schema: Schema): Schema =>
  typeof schema.$ref === 'string' ? world.document.components.schemas[schema.$ref.split('/').at(-1)!]! : schema

export const bodySchemaOf = (world: World, operation: Located): Schema | null => {
  const content = operation.requestBody?.content
  const media = content?.['application/json'] ?? Object.values(content ?? {})[0]
  return media ? resolved(world, media.schema) : null
}

/** Only the required fields, with the simplest values of their types. */
const minimal = (world: World, operation: Located): Fields | undefined => {
  const schema = bodySchemaOf(world, operation)
  if (!schema) return undefined
  const properties = (schema.properties ?? {}) as Record<string, Schema>
  const simplest = (property: Schema): unknown => {
    const {
      type,
      enum: values,
      anyOf,
    } = resolved(world, property) as { type?: unknown; enum?: unknown[]; anyOf?: Schema[] }
    if (values) return values.at(-1)
    if (anyOf) return simplest(anyOf.at(-1)!)
    const [first] = [type].flat()
    return first === 'string'
      ? 'something'
      : first === 'integer' || first === 'number'
        ? 1
        : first === 'array'
          ? []
          : {}
  }
  const required = (schema.required ?? []) as string[]
  return Object.fromEntries(required.map((name) => [name, simplest(properties[name]!)]))
}

/** @returns the given body with meaningful values in its fields */
const meaningful = async (world: World, caller: Caller, operation: Located, given: unknown): Promise<unknown> => {
  const recipe = RECIPES[operation.operationId]
  if (recipe) return recipe(world, caller)
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return given
  const fields = { ...given } as Fields
  // A format and its template are given together or not at all.
  if ('payload_format' in fields || 'custom_template' in fields)
    Object.assign(fields, { payload_format: 'custom', custom_template: '' })
  for (const name of Object.keys(fields)) if (FIELDS[name]) fields[name] = FIELDS[name](world, caller, fields[name])
  return fields
}

export interface Given {
  /** One of the operation's schemes. The default is the first; null means none. */
  scheme?: string | null
  /** Replaces the id in the path. */
  id?: number | string
  /** Replaces the token in the path. */
  token?: string
  body?: unknown
  /** A body that is sent unchanged. */
  raw?: string | Buffer
  query?: readonly (readonly [string, string])[]
}

const inboxTokens = new WeakMap<Caller, string>()

/** An inbox that no test changes or deletes. */
const inboxToken = async (api: World['api'], caller: Caller): Promise<string> => {
  const known = inboxTokens.get(caller)
  if (known !== undefined) return known
  const occasion = { user_id: caller.user_id, at: api.clock.now(), correlation_id: 'test', causation_id: 'test' }
  const { token } = await openInbox({ ...api, ids: openIds(api), vault: api.vault }, occasion)
  inboxTokens.set(caller, token)
  return token
}

/** The value for `{token}` in the path: the caller's own token for that operation. */
const tokenFor = async ({ api }: World, caller: Caller, path: string): Promise<string> => {
  if (path.startsWith('/inbox/')) return inboxToken(api, caller)
  if (!path.startsWith('/counter/')) return caller.receive_token
  const { user_id } = caller
  const { token, hash: token_hash } = newToken('counter', user_id)
  const occasion = { user_id, at: api.clock.now(), correlation_id: 'test', causation_id: 'test' }
  await api.accounts.change(occasion, () => [{ type: 'CounterOpened', data: { user_id, token_hash } }])
  return token
}

/** Parameters whose valid values a schema cannot express, such as the token of a link in a mail. */
const QUERIES: Record<string, (world: World, caller: Caller) => Promise<[string, string][]>> = {
  '/confirm-bank-account': async (world, caller) => {
    const bank_account_id = await make(world, caller, '/api/bank-accounts')
    const url = links.confirmation.url({ user_id: caller.user_id, bank_account_id }, new Date().toISOString())
    return [['token', url.split('token=')[1]!]]
  },
}

/** Makes a request that the operation accepts from the caller, except for what is given otherwise. */
export const requestOf = async (world: World, operation: Located, caller: Caller, given: Given = {}): Promise<Sent> => {
  const [first] = operation.security.flatMap((each) => Object.keys(each))
  const scheme = given.scheme === undefined ? first : given.scheme
  const { headers, query } = scheme ? await shown(scheme, caller) : { headers: {}, query: [] }
  const collection = collectionOf(operation.path)
  const id = given.id ?? (collection === null ? '' : await make(world, caller, collection))
  const token = given.token ?? (await tokenFor(world, caller, operation.path))
  const path = operation.path.replace('{id}', String(id)).replace('{token}', token)
  const own = new Map(await QUERIES[operation.path]?.(world, caller))
  const asked = given.query?.map(([name, value]): [string, string] => [name, own.get(name) ?? value]) ?? [...own]
  const search = new URLSearchParams(
    [...query, ...asked].map(([name, value]): [string, string] => [name, value]),
  ).toString()
  const sent: Sent = { method: operation.method, path: path + (search ? `?${search}` : ''), headers }
  if (!bodySchemaOf(world, operation)) return sent
  if (given.raw !== undefined)
    return { ...sent, headers: { ...headers, 'content-type': 'application/json' }, body: given.raw }
  const body = 'body' in given ? given.body : minimal(world, operation)
  const meant = await meaningful(world, caller, operation, body)
  return meant === undefined
    ? sent
    : { ...sent, headers: { ...headers, 'content-type': 'application/json' }, body: JSON.stringify(meant) }
}
