/**
 * The requests that cost the most for their size: each part of a request is as long, as deep or as odd as allowed. Sixty come from a
 * stranger, and more from a caller with a valid credential. Each states the expected status; 0 if the connection is cut.
 */
import { gzipSync } from 'node:zlib'
import type { RawRequest } from './raw-request.ts'

export interface WorstRequest extends RawRequest {
  name: string
  status: number
}

/** The valid data of a caller. */
export interface GoodCredentials {
  apiKey: string
  /** `/api/receive/u/…`. */
  personalPath: string
}

const KB = 1024
const MB = 1024 * KB
/** The space in a head of 80 KB, beside other headers. */
const LONG = 60 * KB
const BODY = 10 * MB

const JSON_TYPE = [['Content-Type', 'application/json']] as const
const times = (text: string, bytes: number): string => text.repeat(Math.floor(bytes / text.length))
const unknownKeys = (bytes: number): string => {
  const members: string[] = []
  for (let size = 2, index = 0; size < bytes - 20; index++) {
    const member = `"k${index}":0`
    members.push(member)
    size += member.length + 1
  }
  return `{${members.join()}}`
}
const part = (name: string, value: string): string =>
  `--x\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`
/** As a member each, so that a long text need not be made as a whole. */
const gzipped = (text: string, members = 1): Buffer =>
  Buffer.concat(Array<Buffer>(members).fill(gzipSync(text, { level: 9 })))
const manyParts = `${part('text', 'x').repeat(140_000)}--x--\r\n`
const manyKeys = unknownKeys(BODY)
const brokenJson = `{"text":"${times('a","', BODY - 20)}`

const get = (name: string, path: string, status: number, headers: RawRequest['headers'] = []): WorstRequest => ({
  name,
  method: 'GET',
  path,
  status,
  headers,
})
const post = (name: string, path: string, status: number, body: string | Buffer, more: Partial<RawRequest> = {}) => ({
  name,
  method: 'POST',
  path,
  status,
  body,
  headers: JSON_TYPE,
  ...more,
})

const queries: readonly WorstRequest[] = [
  get('64 KB of a&a&a to a personal URL that is none', `/api/receive/u/x?${times('a&', 64 * KB)}`, 401),
  get('2 KB of a&a&a to a list', `/api/transactions?${times('a&', 2_000)}`, 400),
  get('2 KB of & to health', `/healthz?${times('&', 2_000)}`, 400),
  get('64 KB of a&a&a elsewhere', `/api/account?${times('a&', 64 * KB)}`, 414),
  get('99 keys in the query', `/api/account?${times('api_key=x&', 990)}x`, 401),
  get('a query of percent signs', `/api/receive/u/x?text=${times('%', 60 * KB)}`, 401),
]

const paths: readonly WorstRequest[] = [
  get('a path of 60 KB of slashes', times('/', LONG), 404),
  get('a path of 30,000 parts', times('/a', LONG), 404),
  get('an id of 60 KB', `/api/webhooks/${times('1', LONG)}/logs`, 401),
  get('a personal token of 60 KB', `/api/receive/u/${times('a', LONG)}`, 401),
  get('a personal token of percent escapes', `/api/receive/u/${times('%25', LONG)}`, 401),
  get('a path of broken percent escapes', `/api/receive/u/${times('%E0%A4', LONG)}`, 401),
  get('a counter token of 60 KB', `/counter/${times('-', LONG)}`, 404),
  get('a counter stream of a token of 60 KB', `/counter/${times('a.', LONG)}/stream`, 404),
]

const headers: readonly WorstRequest[] = [
  get('a cookie of 60 KB of ;', '/api/account', 401, [['Cookie', times(';', LONG)]]),
  get('a cookie of 60 KB of ; and blanks', '/api/account', 401, [['Cookie', times('; ', LONG)]]),
  get('a cookie of 4,000 sessions', '/api/account', 401, [['Cookie', times('baoco_session=;', LONG)]]),
  get('a session of 60 KB', '/api/account', 401, [['Cookie', `baoco_session=${times('a.', LONG)}`]]),
  get('Bearer and 60 KB of blanks', '/api/account', 401, [['Authorization', `Bearer ${times(' ', LONG)}x x`]]),
  get('Bearer and 60 KB of a.a.a', '/api/account', 401, [['Authorization', `Bearer ${times('a.', LONG)}`]]),
  get('Bearer and a JWT head of 60 KB', '/api/account', 401, [
    [
      'Authorization',
      `Bearer ${Buffer.from(`{"alg":"HS256","x":"${times('[', 40 * KB)}"}`).toString('base64url')}.e30.x`,
    ],
  ]),
  get('an API key of 60 KB', '/api/account', 401, [['X-Api-Key', `bck_1.${times('a', LONG)}`]]),
  get('60 KB of commas in X-Forwarded-For', '/api/account', 401, [['X-Forwarded-For', times(',', LONG)]]),
  get('60 KB of blanks in X-Forwarded-For', '/api/account', 401, [['X-Forwarded-For', `a${times(' ', LONG)}b`]]),
  get('60 KB of commas in If-None-Match', '/docs', 200, [['If-None-Match', times('"a",', LONG)]]),
  get('a host of 60 KB', '/api/account', 401, [['Host', `${times('a@', LONG)}x`]]),
  get(
    '2,000 headers',
    '/api/account',
    401,
    Array.from({ length: 1_900 }, (_, index) => [`x-${index}`, 'a'] as const),
  ),
  get(
    'the same header 6,000 times',
    '/api/account',
    401,
    Array.from({ length: 6_000 }, () => ['cookie', 'a'] as const),
  ),
  get('Last-Event-ID of 60 KB', '/counter/x/stream', 404, [['Last-Event-ID', times('9', LONG)]]),
  post('a device token of 60 KB', '/api/receive/sms', 401, '{}', {
    headers: [...JSON_TYPE, ['X-Device-Token', `bcd_1.${times('a', LONG)}`]],
  }),
  post('a media type of 60 KB', '/api/auth/login', 400, '{}', {
    headers: [['Content-Type', `application/json${times(';a=b', LONG)}`]],
  }),
  post('a media type of 60 KB of charsets', '/api/auth/login', 415, '{}', {
    headers: [['Content-Type', `application/json${times(' charset', LONG)}`]],
  }),
]

const bodies: readonly WorstRequest[] = [
  post('verify-email with 64 KB of unknown keys', '/api/auth/verify-email', 400, unknownKeys(64 * KB)),
  post('verify-email with 10 MB of unknown keys', '/api/auth/verify-email', 400, manyKeys),
  post('reset-password with 64 KB of unknown keys', '/api/auth/reset-password', 400, unknownKeys(64 * KB)),
  post('reset-password with 10 MB of unknown keys', '/api/auth/reset-password', 400, manyKeys),
  post('register with 64 KB of lists in lists', '/api/auth/register', 400, times('[', 64 * KB)),
  post('forgot-password with 10 MB of lists in lists', '/api/auth/forgot-password', 400, times('[', BODY)),
  post('resend-verify with 10 MB of broken JSON', '/api/auth/resend-verify', 400, brokenJson),
  post('login with an email of 60 KB', '/api/auth/login', 400, JSON.stringify({ email: times(' ', LONG), password: 'x' })),
  post('login with one key of 60 KB', '/api/auth/login', 400, JSON.stringify({ [times('a', LONG)]: 0 })),
  post('login with 60 KB of digits', '/api/auth/login', 400, `{"email":${times('9', LONG)}}`),
  post('login with 10 MB and one byte', '/api/auth/login', 413, Buffer.alloc(BODY + 1, ' ')),
  post('login with a body without end', '/api/auth/login', 0, Buffer.alloc(30 * MB, ' '), { chunks: 64 * KB }),
  post('login in 60,000 chunks of a byte', '/api/auth/login', 0, Buffer.alloc(60_000, ' '), { chunks: 1 }),
  post('login in euc-jp', '/api/auth/login', 415, Buffer.alloc(60_000, 0xa4), {
    headers: [['Content-Type', 'application/json; charset=euc-jp']],
  }),
  post('login in 60 KB of UTF-16', '/api/auth/login', 400, Buffer.from(times('[', 30_000), 'utf16le'), {
    headers: [['Content-Type', 'application/json; charset=utf-16le']],
  }),
  post('a session with 10 MB', '/api/session', 400, Buffer.alloc(BODY, '[')),
  post('the demo with 60 KB of a character that becomes eighteen', '/api/demo/parse', 200, JSON.stringify({ text: times('ﷺ', 20_000) })),
  post('the demo with 60 KB of accents', '/api/demo/parse', 200, JSON.stringify({ text: times('a\u0301\u0327', 60_000 / 2) })),
  post('the demo with 15,000 prefixes', '/api/demo/parse', 400, JSON.stringify({ text: 'x', prefixes: Array(15_000).fill('A') })),
  post('the demo with 60 KB of digits and blanks', '/api/demo/parse', 200, JSON.stringify({ text: times('1 ', LONG), prefixes: ['DH', 'DH1'] })),
  post('pairing with 10 MB', '/api/receive/pair', 400, manyKeys),
  post('140,000 parts for a personal URL that is none', '/api/receive/u/x', 401, manyParts, {
    headers: [['Content-Type', 'multipart/form-data; boundary=x']],
  }),
  post('10 MB of euc-jp for a personal URL that is none', '/api/receive/u/x', 401, Buffer.alloc(BODY, 0xa4), {
    headers: [['Content-Type', 'text/plain; charset=euc-jp']],
  }),
  post('10 MB of broken JSON for a token that is none', '/api/receive/u/bcu_1.aaaaaaaaaaaaaaaa', 401, brokenJson),
  post('a batch of 10 MB without a token', '/api/receive/batch', 401, times('[', BODY)),
  post('a rule of 10 MB without a key', '/api/webhooks', 401, manyKeys),
  post('10 MB for an inbox that is none', '/inbox/x', 404, Buffer.alloc(BODY, 'x')),
] // prettier-ignore

/** Sixty requests without a credential, including the two most expensive pages. */
export const requestsOfStrangers: readonly WorstRequest[] = [
  ...queries,
  ...paths,
  ...headers,
  ...bodies,
  get('the document of the API', '/api/openapi.json', 200),
]

/** Requests with a valid credential, where bodies up to 10 MB are read. */
export const requestsOfCallers = ({ apiKey, personalPath }: GoodCredentials): readonly WorstRequest[] => {
  const withKey = (): Partial<RawRequest> => ({
    headers: [
      ['Content-Type', 'application/json'],
      ['X-Api-Key', apiKey],
    ],
  })
  const typed = (type: string): Partial<RawRequest> => ({ headers: [['Content-Type', type]] })
  return [
    get('64 KB of a&a&a to a personal URL', `${personalPath}?${times('a&', 64 * KB)}`, 200),
    get('16 KB of percent escapes to a personal URL', `${personalPath}?text=${times('%C3%BA', 16_000)}`, 200),
    post('140,000 parts', personalPath, 200, manyParts, typed('multipart/form-data; boundary=x')),
    post('a part with 100,000 header lines', personalPath, 200,
      `--x\r\nContent-Disposition: form-data; name="text"\r\n${times('a: b\r\n', MB - 200)}\r\nx\r\n--x--\r\n`,
      typed('multipart/form-data; boundary=x')),
    post('1 MB of a boundary’s beginning', personalPath, 200,
      `--${times('a', 70)}\r\nContent-Disposition: form-data; name="text"\r\n\r\n${times(`\r\n--${times('a', 69)}`, MB - 500)}\r\n--${times('a', 70)}--\r\n`,
      typed(`multipart/form-data; boundary=${times('a', 70)}`)),
    post('10 MB of euc-jp', personalPath, 200, Buffer.alloc(BODY, 0xa4), typed('text/plain; charset=euc-jp')),
    post('10 MB of broken JSON', personalPath, 200, brokenJson),
    post('10 MB of line ends in a string', personalPath, 200, `{"text":"${times('\n', BODY - 20)}"}`),
    post('10 MB of lists in lists', personalPath, 200, times('[', BODY)),
    post('10 MB of short members', personalPath, 200, manyKeys),
    post('gzip of 1 GB', personalPath, 200, gzipped(times('\0', BODY), 100), typed('text/plain')),
    post('gzip of 10 MB of one text', personalPath, 200, gzipped(`{"text":"${times('a ', BODY - 20)}"}`), typed('text/plain')),
    post('10 MB that are no gzip', personalPath, 200, Buffer.concat([gzipped('x').subarray(0, 12), Buffer.alloc(BODY - 12, 0xff)]), typed('text/plain')),
    post('10 MB of one text', personalPath, 200, `{"text":"${times('a ', BODY - 20)}"}`),
    post('10 MB of quotes in a text', personalPath, 200, `{"text":"${times('\\"', BODY - 20)}"}`),
    post('10 MB of texts of 300 bytes', personalPath, 200, `[${times(`"${'a'.repeat(300)}",`, BODY - 20)}1]`),
    post('a form of 10 MB', personalPath, 200, `text=${times('a&', BODY - 20)}`, typed('application/x-www-form-urlencoded')),
    post('200 texts that repeat their first words', personalPath, 200,
      `[${Array(200).fill(`{"text":"TK 19132608281111 So tien GD:-3,286,802 So du:112,765,887 ${times('TK ', 32_000)}"}`).join()}]`),
    post('10 MB of plain text', personalPath, 200, times('ab ', BODY), typed('text/plain')),
    post('10 MB of blanks', personalPath, 200, Buffer.alloc(BODY, ' '), typed('text/plain')),
    post('a title of 10 MB', personalPath, 200, `{"text":"x","title":"${times('a ', BODY - 40)}"}`),
    post('a rule of 10 MB of unknown keys', '/api/webhooks', 400, manyKeys, withKey()),
    post('a rule for 2,000,000 banks', '/api/webhooks', 400, `{"filter_banks":[${times('1,', BODY / 2)}1]}`, withKey()),
    post('a rule with a name of 10 MB', '/api/webhooks', 400, `{"name":"${times('a', BODY - 40)}"}`, withKey()),
    post('a rule with 10 MB of lists in lists', '/api/webhooks', 400, times('[', BODY), withKey()),
  ] // prettier-ignore
}
