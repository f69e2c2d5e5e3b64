/**
 * Provides the whole API with callers of every kind and their resources, for tests that are made from its document. A new operation may
 * need more than its schema. State that here once: how to make a resource of its collection (`MAKERS`), a meaningful value of a field
 * (`FIELDS`), or a whole body (`RECIPES`). Until then, the tests that go over all operations fail.
 */
import { Pool } from 'undici'
import { jsonWebTokens, type TokenUse } from '../../../adapters/http/middleware/json-web-tokens.ts'
import { vietcombankText } from '../../harness/bank-texts.ts'
import { answerCheck, operationsOf, type Located, type OpenApiDocument } from '../../harness/openapi/document.ts'
import { openShop } from '../../harness/shop.ts'
import {
  BASE_URL,
  JWT_SECRET,
  openApi,
  OWNERS_PASSWORD,
  type ApiUnderTest,
  type ApiOptions,
} from '../http/api-under-test.ts'
import { verifyingOnce } from '../http/passwords.ts'

export interface Caller {
  user_id: number
  email: string
  password: string
  api_key: string
  jwt: string
  /** Makes another session token each time, because calls may end the session. */
  session(): Promise<string>
  receive_token: string
  device_token: string
  /** A scoped key with only the scope `receive`. */
  receive_key: string
}

export interface Sent {
  method: string
  /** The path with its query. */
  path: string
  headers: Record<string, string>
  body?: string | Buffer
}

export interface Got {
  status: number
  headers: Record<string, string | string[] | undefined>
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into answers of every shape
  body: any
}

export interface World {
  api: ApiUnderTest
  document: OpenApiDocument
  operations: readonly Located[]
  /** The URL that webhooks call. It answers 200. */
  shopUrl: string
  owner: Caller
  newCaller(): Promise<Caller>
  /** Sends the request unchanged, and validates the answer against the document. */
  send(request: Sent): Promise<Got>
  close(): Promise<void>
}

let serial = 0
/** A number that no other resource of this run has. */
export const next = (): number => ++serial

/** @param options  of `openApi` */
export const openWorld = async (options?: ApiOptions): Promise<World> => {
  const plans = { planBank: 'VCB', planAccount: '0071000999999', planHolder: 'BAOCO' }
  const api = await openApi(plans, 'real', { passwords: verifyingOnce(), ...options })
  const shop = await openShop()
  const pool = new Pool(api.url, { connections: 32, pipelining: 1, headersTimeout: 60_000, bodyTimeout: 60_000 })
  const tokens = jsonWebTokens(JWT_SECRET, api.clock)
  const document = (await api.ask('GET', '/api/openapi.json')).body as OpenApiDocument
  const check = answerCheck(document)

  const send = async ({ method, path, headers, body }: Sent): Promise<Got> => {
    const response = await pool.request({ method: method as 'GET', path, headers, body: body ?? null })
    const contentType = response.headers['content-type']?.toString() ?? null
    if (contentType?.startsWith('text/event-stream')) {
      response.body.destroy()
      response.body.on('error', () => {})
      return { status: response.statusCode, headers: response.headers, body: '' }
    }
    const text = await response.body.text()
    const answered: unknown = contentType?.includes('json') && text ? JSON.parse(text) : text
    check({ method, path, status: response.statusCode, contentType, body: answered })
    return { status: response.statusCode, headers: response.headers, body: answered }
  }

  const withDevice = async (
    account: Omit<Caller, 'device_token' | 'receive_key' | 'jwt' | 'session'>,
  ): Promise<Caller> => {
    const key = account.api_key
    const invited = await api.ask('POST', '/api/devices', { key, json: { name: 'phone' } })
    const paired = await api.ask('POST', '/api/receive/pair', { json: { code: invited.body.data.pairing_code } })
    const receiving = { name: 'posts', scopes: ['receive'] }
    const receiver = await api.ask('POST', '/api/account/api-keys', { key, json: receiving })
    const sign = async (use: TokenUse) => tokens.sign((await api.accounts.find(account.user_id))!, use)
    return {
      ...account,
      jwt: await sign('login'),
      session: () => sign('session'),
      device_token: paired.body.data.device_token,
      receive_key: receiver.body.data.api_key,
    }
  }

  return {
    api,
    document,
    operations: operationsOf(document),
    shopUrl: shop.url,
    owner: await withDevice({ ...api.owner, password: OWNERS_PASSWORD }),
    newCaller: async () => {
      const email = `caller${next()}@example.com`
      return withDevice({ ...(await api.newAccount(email)), email, password: OWNERS_PASSWORD })
    },
    send,
    close: async () => {
      await pool.close()
      await shop.close()
      await api.close()
    },
  }
}

interface Shown {
  headers?: Record<string, string>
  query?: [string, string]
}

/** How to send a credential, by the name of its scheme. */
const SHOWN: Record<string, (caller: Caller) => Shown | Promise<Shown>> = {
  jwt: ({ jwt }) => ({ headers: { authorization: `Bearer ${jwt}` } }),
  api_key: ({ api_key }) => ({ headers: { 'x-api-key': api_key } }),
  api_key_authorization: ({ api_key }) => ({ headers: { authorization: `Apikey ${api_key}` } }),
  api_key_query: ({ api_key }) => ({ query: ['api_key', api_key] }),
  session: async ({ session }) => ({
    headers: { cookie: `__Host-baoco_session=${await session()}`, origin: BASE_URL },
  }),
  device: ({ device_token }) => ({ headers: { 'x-device-token': device_token } }),
  receive_key: ({ receive_key }) => ({ headers: { 'x-api-key': receive_key } }),
  device_bearer: ({ device_token }) => ({ headers: { authorization: `Bearer ${device_token}` } }),
}

export const schemesOf = ({ security }: Located): string[] => security.flatMap((each) => Object.keys(each))

/** @throws for a scheme that is missing in `SHOWN` */
export const shown = async (
  scheme: string,
  caller: Caller,
): Promise<{ headers: Record<string, string>; query: [string, string][] }> => {
  const show = SHOWN[scheme]
  if (!show) throw new Error(`How is the credential ${scheme} shown? Say it in SHOWN.`)
  const { headers = {}, query } = await show(caller)
  return { headers, query: query ? [query] : [] }
}

export const curlOf = (url: string, { method, path, headers, body }: Sent): string => {
  const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`
  return [
    `curl -i -X ${method} ${quoted(url + path)}`,
    ...Object.entries(headers).map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...(body === undefined ? [] : [`--data-binary ${quoted(body.toString())}`]),
  ].join(' ')
}

/** A text that becomes a transaction and matches no prefix. */
export const bankText = (): string => vietcombankText(next(), `QZ${1000 + next()} thanh toan`)
