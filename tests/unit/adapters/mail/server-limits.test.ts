import { expect } from 'chai'
import fc from 'fast-check'
import {
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
const MORE = 'The server sent more than was asked for.'

describe('limits of a mail server', () => {
  it('let through what fits', () => {
    expect(count(limits(), '* SEARCH 1 2 3\r\n', '1 OK done\r\n')).to.equal(null)
  })

  it('end a line that is longer than 256 KB, in one piece or many', () => {
    const line = 'x'.repeat(LONGEST_LINE - 2)
    expect(count(limits(), `${line}\r\n`)).to.equal(null)
    expect(count(limits(), `${line}x\r\n`)).to.match(/longer than 256 KB/)
    const pieces = limits()
    for (let sent = 0; sent < LONGEST_LINE; sent += 1_024) expect(count(pieces, 'x'.repeat(1_024))).to.equal(null)
    expect(count(pieces, 'x')).to.match(/longer than 256 KB/)
  })

  it('do not take a literal for a line, and take the line after it for one', () => {
    const mail = `* 1 FETCH (BODY[]<0> {400000}\r\n${'x'.repeat(400_000)} UID 1)\r\n`
    expect(count(limits(fetchOf(1, 500_000)), mail, '1 OK\r\n')).to.equal(null)
    expect(count(limits(fetchOf(2, 500_000)), mail, 'x'.repeat(LONGEST_LINE + 1))).to.match(/longer than 256 KB/)
  })

  it('end a literal that is larger than what was asked for, also behind zeros or in two pieces', () => {
    const asked = () => limits(fetchOf(1, 1_000))
    expect(count(asked(), 'x {1000}\r\n')).to.equal(null)
    expect(count(asked(), 'x {1001}\r\n')).to.equal(MORE)
    expect(count(asked(), 'x {10', '01}\r', '\n')).to.equal(MORE)
    expect(count(asked(), 'x {1001}\n')).to.equal(MORE)
    expect(count(asked(), `x {${'9'.padStart(29, '0')}}\r\n`)).to.equal(MORE)
    expect(count(asked(), `x {${'9'.padStart(25, '0')}}\r\n`)).to.equal(null)
    expect(count(limits(IDLE), '* 1 FETCH (BODY[] {1}\r\n')).to.equal(MORE)
  })

  it('end more bytes than a command may bring, and begin anew with the next', () => {
    const counter = limits({ bytes: 10, literal: 0, ms: 1_000 })
    expect(count(counter, '12345678\r\n')).to.equal(null)
    counter.allow({ bytes: 10, literal: 0, ms: 1_000 })
    expect(count(counter, '12345678\r\n', '\n')).to.equal(MORE)
    // Whatever comes after.
    counter.allow(IDLE)
    expect(count(counter, '\n')).to.equal(MORE)
    expect(counter.failure).to.include({ isViolation: true })
  })

  it('tell a server that drips from one that is silent, or that has answered', () => {
    expect(limits().expire()).to.include({ isViolation: false, isSlow: true })
    const silent = limits()
    count(silent, '1 BAD wait\r\n')
    silent.answered()
    expect(silent.expire()).to.include({ isViolation: false })
  })

  it('allow 600 reports of new mails a minute', () => {
    const counter = limits(IDLE)
    for (let n = 0; n < 600; n++) expect(counter.report()).to.equal(null)
    expect(counter.report()).to.include({ isViolation: true })
  })

  it('count the same however the bytes are cut into pieces', () => {
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
