import { expect } from 'chai'
import fc from 'fast-check'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { checkUrl } from '../../../../adapters/webhook-sender/check-url.ts'
import { openDialer } from '../../../../adapters/webhook-sender/dialer.ts'

type Bytes = readonly [number, number, number, number]

const byte = fc.nat(255)
const inside: fc.Arbitrary<Bytes> = fc.oneof(
  fc.tuple(fc.constantFrom(0, 10, 127), byte, byte, byte),
  fc.tuple(fc.constant(172), fc.integer({ min: 16, max: 31 }), byte, byte),
  fc.tuple(fc.constant(192), fc.constant(168), byte, byte),
  fc.tuple(fc.constant(169), fc.constant(254), byte, byte),
  fc.tuple(fc.constant(100), fc.integer({ min: 64, max: 127 }), byte, byte),
  fc.tuple(fc.integer({ min: 224, max: 255 }), byte, byte, byte),
)

const number = (bytes: readonly number[]): number => bytes.reduce((sum, each) => sum * 256 + each, 0)
const hex = (value: number): string => value.toString(16)
const pair = (a: number, b: number): string => hex(a * 256 + b)
const wide = (text: string): string =>
  text.replaceAll(/[0-9]/g, (digit) => String.fromCodePoint(0xff10 + Number(digit))).replaceAll('.', '。')

/** Notations of one IPv4 address that URL parsers, resolvers and routers accept. */
const NOTATIONS: Readonly<Record<string, (bytes: Bytes) => string>> = {
  usual: (bytes) => bytes.join('.'),
  'one number': (bytes) => String(number(bytes)),
  'one hexadecimal number': (bytes) => `0x${hex(number(bytes))}`,
  'one octal number': (bytes) => `0${number(bytes).toString(8)}`,
  'three parts': ([a, b, c, d]) => `${a}.${b}.${c * 256 + d}`,
  'two parts': ([a, ...rest]) => `${a}.${number(rest)}`,
  hexadecimal: (bytes) => bytes.map((each) => `0x${hex(each)}`).join('.'),
  octal: (bytes) => bytes.map((each) => `0${each.toString(8)}`).join('.'),
  'leading zeros': (bytes) => bytes.map((each) => `000${each.toString(8)}`).join('.'),
  mixed: ([a, b, c, d]) => `0x${hex(a)}.0${b.toString(8)}.${c}.${d}`,
  'trailing dot': (bytes) => `${bytes.join('.')}.`,
  'percent-encoded': (bytes) => bytes.join('%2e'),
  'full-width': (bytes) => wide(bytes.join('.')),
  'mapped into IPv6': (bytes) => `[::ffff:${bytes.join('.')}]`,
  'mapped, hexadecimal': ([a, b, c, d]) => `[::ffff:${pair(a, b)}:${pair(c, d)}]`,
  'mapped, written out': ([a, b, c, d]) => `[0:0:0:0:0:ffff:${pair(a, b)}:${pair(c, d)}]`,
  compatible: (bytes) => `[::${bytes.join('.')}]`,
  translated: ([a, b, c, d]) => `[::ffff:0:${pair(a, b)}:${pair(c, d)}]`,
  NAT64: ([a, b, c, d]) => `[64:ff9b::${pair(a, b)}:${pair(c, d)}]`,
  '6to4': ([a, b, c, d]) => `[2002:${pair(a, b)}:${pair(c, d)}::1]`,
  Teredo: ([a, b, c, d]) => `[2001:0:${pair(a, b)}:${pair(c, d)}::1]`,
}

describe('disguised private addresses', () => {
  for (const [name, written] of Object.entries(NOTATIONS))
    it(`are refused when a rule is saved: ${name}`, () => {
      fc.assert(
        fc.property(inside, fc.constantFrom('', ':443', ':8443'), (bytes, port) => {
          expect(checkUrl(`https://${written(bytes)}${port}/hook`, { allowPrivate: false })).to.be.a('string')
        }),
        { numRuns: 300 },
      )
    })

  it('do not reach this service itself by case, port or a trailing dot', () => {
    const settings = { allowPrivate: false, ownOrigins: ['https://baoco.example'] }
    for (const url of [
      'https://baoco.example/',
      'https://BAOCO.example/',
      'https://baoco.example./',
      'https://baoco.example:443/',
      'https://baoco.example.:443/inbox',
      'https://b%61oco.example/',
    ])
      expect(checkUrl(url, settings), url).to.equal('must not be an address of this service itself')
  })

  describe('behind a host name', () => {
    let dialled = 0
    const server = createServer((socket) => {
      dialled++
      socket.destroy()
    })
    before((done) => void server.listen(0, '127.0.0.1', done))
    after((done) => void server.close(done))
    const port = () => String((server.address() as AddressInfo).port)

    /** The kind of the failure, or null if the address was dialled. */
    const dial = (resolve: () => Promise<readonly string[]>): Promise<string | null> =>
      new Promise((answer) =>
        openDialer({ allowPrivate: false, resolve, timeoutMs: 2_000 })(
          { hostname: 'shop.example', host: `shop.example:${port()}`, protocol: 'http:', port: port() },
          (error, socket) => {
            socket?.destroy()
            answer(error ? ((error as { kind?: string }).kind ?? 'dialled') : null)
          },
        ),
      )

    it('are never dialled, at any position among public addresses', async () => {
      const literal = inside.map((bytes) => bytes.join('.'))
      const addresses = fc
        .tuple(fc.array(fc.constantFrom<string>('8.8.8.8', '2606:4700::1111'), { maxLength: 6 }), literal, fc.nat(6))
        .map(([others, hidden, at]) => others.toSpliced(at, 0, hidden))
      await fc.assert(
        fc.asyncProperty(addresses, async (answer) => {
          expect(await dial(() => Promise.resolve(answer))).to.equal('private_address')
        }),
        { numRuns: 300 },
      )
      expect(dialled).to.equal(0)
    })

    it('are never dialled if the name resolves differently on the next lookup', async () => {
      let looks = 0
      const rebinding = () => Promise.resolve(looks++ % 2 === 0 ? ['127.0.0.1'] : ['198.51.100.7'])
      for (let calls = 0; calls < 4; calls++) await dial(rebinding)
      // One lookup per dial, so only a checked address can be dialled.
      expect(looks).to.equal(4)
      expect(dialled).to.equal(0)
    })
  })
})
