import { setTimeout } from 'node:timers/promises'
import { expect } from 'chai'
import fc from 'fast-check'
import {
  CONNECT,
  fetchOf,
  IDLE,
  LONGEST_LINE,
  SEARCH,
  ServerLimits,
  type Allowance,
} from '../../../../adapters/mail/server-limits.ts'

const limits = (allowance: Allowance = SEARCH): ServerLimits => {
  const made = new ServerLimits()
  made.allow(allowance)
  return made
}
const count = (counter: ServerLimits, ...chunks: string[]): string | null =>
  chunks.map((chunk) => counter.count(Buffer.from(chunk, 'latin1'))?.message ?? null).at(-1)!
/** A server that sends at the slowest permitted rate sends more in this time than the servers here. */
const enoughForKilobytes = () => setTimeout(50)
const MORE = 'The server sent more than was asked for.'

describe('the limits of a mail server', () => {
  it('accept responses within them', () => {
    expect(count(limits(), '* SEARCH 1 2 3\r\n', '1 OK done\r\n')).to.equal(null)
  })

  it('refuse a line longer than 256 KB, in one piece or many', () => {
    const line = 'x'.repeat(LONGEST_LINE - 2)
    expect(count(limits(), `${line}\r\n`)).to.equal(null)
    expect(count(limits(), `${line}x\r\n`)).to.match(/longer than 256 KB/)
    const pieces = limits()
    for (let sent = 0; sent < LONGEST_LINE; sent += 1_024) expect(count(pieces, 'x'.repeat(1_024))).to.equal(null)
    expect(count(pieces, 'x')).to.match(/longer than 256 KB/)
  })

  it('do not count a literal as a line, but count the line after it', () => {
    const mail = `* 1 FETCH (BODY[]<0> {400000}\r\n${'x'.repeat(400_000)} UID 1)\r\n`
    expect(count(limits(fetchOf(1, 500_000)), mail, '1 OK\r\n')).to.equal(null)
    expect(count(limits(fetchOf(2, 500_000)), mail, 'x'.repeat(LONGEST_LINE + 1))).to.match(/longer than 256 KB/)
    const around = `${'x'.repeat(LONGEST_LINE - 10)}{3}\r\nabc`
    expect(count(limits(fetchOf(2, 500_000)), around, 'x'.repeat(10))).to.match(/longer than 256 KB/)
  })

  it('refuse a literal larger than the requested size, even with leading zeros or in two pieces', () => {
    const asked = () => limits(fetchOf(1, 1_000))
    expect(count(asked(), 'x {1000}\r\n')).to.equal(null)
    expect(count(asked(), 'x {1001}\r\n')).to.equal(MORE)
    expect(count(asked(), 'x {10', '01}\r', '\n')).to.equal(MORE)
    expect(count(asked(), 'x {1001}\n')).to.equal(MORE)
    expect(count(asked(), `x {${'9'.padStart(29, '0')}}\r\n`)).to.equal(MORE)
    expect(count(asked(), `x {${'9'.padStart(25, '0')}}\r\n`)).to.equal(null)
    expect(count(limits(IDLE), '* 1 FETCH (BODY[] {1}\r\n')).to.equal(MORE)
  })

  it('refuse more bytes than a command allows, and start again with the next command', () => {
    const counter = limits({ bytes: 10, literal: 0, ms: 1_000 })
    expect(count(counter, '12345678\r\n')).to.equal(null)
    counter.allow({ bytes: 10, literal: 0, ms: 1_000 })
    expect(count(counter, '12345678\r\n', '\n')).to.equal(MORE)
    // The failure persists after the next command.
    counter.allow(IDLE)
    expect(count(counter, '\n')).to.equal(MORE)
    expect(counter.failure).to.include({ isViolation: true })
  })

  it('distinguish a server that answers slowly from one that is silent or has answered', async () => {
    expect(limits().expire()).to.include({ isViolation: false, isSlow: true })
    const silent = limits()
    count(silent, '1 BAD wait\r\n')
    silent.answered()
    expect(silent.expire()).to.include({ isViolation: false })
    const drips = limits()
    for (const byte of '* OK hey') count(drips, byte)
    await enoughForKilobytes()
    expect(drips.expire()).to.include({ isViolation: true })
    const next = limits()
    for (const byte of '* OK hey') count(next, byte)
    next.allow(SEARCH)
    count(next, '*')
    await enoughForKilobytes()
    expect(next.expire()).to.include({ isViolation: false, isSlow: true })
    const long = limits()
    for (let sent = 0; sent < 20; sent++) count(long, `${'x'.repeat(20_000)}\n`)
    expect(long.expire()).to.include({ isViolation: false, isSlow: true })
  })

  it('do not blame a server that has greeted if this machine freezes afterwards', async () => {
    const counter = limits(CONNECT)
    count(counter, '* OK ready\r\n')
    await enoughForKilobytes()
    expect(counter.expire()).to.include({ isViolation: false, isSlow: true })
  })

  it('begin again every minute while no command runs, but not during a command', () => {
    const changes = `* 1 FETCH (FLAGS ())\r\n`.repeat(20_000)
    const sent = (allowance: Allowance, patience: number, ...chunks: string[]) => {
      const counter = new ServerLimits(patience)
      counter.allow(allowance)
      return count(counter, ...chunks)
    }
    // With a patience of 0, a minute is over at once.
    expect(sent(IDLE, 0, ...Array.from({ length: 5 }, () => changes))).to.equal(null)
    expect(sent(IDLE, 1, ...Array.from({ length: 5 }, () => changes))).to.equal(MORE)
    expect(sent(SEARCH, 0, changes, changes)).to.equal(MORE)
  })

  it('end a connection that has sent a gigabyte, or is a day old', () => {
    const gigabyte = 2 ** 30
    const busy = limits(fetchOf(1, gigabyte))
    count(busy, `x {${gigabyte}}\r\n`)
    const piece = Buffer.alloc(2 ** 26)
    for (let sent = piece.length; sent < gigabyte; sent += piece.length) busy.count(piece)
    expect(busy.isUsedUp).to.equal(false)
    expect([busy.count(piece), busy.isUsedUp]).to.deep.equal([null, true])
    const old = limits()
    const { now } = performance
    const began = performance.now()
    try {
      performance.now = () => began + 24 * 3_600_000 - 1
      expect(old.isUsedUp).to.equal(false)
      performance.now = () => began + 24 * 3_600_000 + 1
      expect(old.isUsedUp).to.equal(true)
    } finally {
      performance.now = now
    }
  })

  it('allow 600 reports of new mails per minute', () => {
    const counter = limits(IDLE)
    const { now } = performance
    const began = performance.now()
    try {
      for (const minute of [0, 1, 2]) {
        performance.now = () => began + minute * 61_000
        for (let n = 0; n < 600; n++) expect(counter.report()).to.equal(null)
      }
      expect(counter.report()).to.include({ isViolation: true })
    } finally {
      performance.now = now
    }
  })

  it('give the same result for any split of the bytes into pieces', () => {
    const text = '* 1 FETCH (BODY[] {7}\r\nab\r\n{9}\r\nUID 1)\r\n* OK {3}\nxyz\r\n* 2 FETCH ({11}\r\n'
    const verdict = (pieces: string[]) => count(limits(fetchOf(1, 10)), ...pieces)
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat(text.length), { maxLength: 20 }), (cuts) => {
        const at = [0, ...cuts.sort((a, b) => a - b), text.length]
        return verdict(at.slice(1).map((end, n) => text.slice(at[n], end))) === verdict([text])
      }),
    )
    expect(verdict([text])).to.equal(MORE)
  })
})
