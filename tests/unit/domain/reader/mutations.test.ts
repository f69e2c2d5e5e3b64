import { expect } from 'chai'
import fc from 'fast-check'
import { read } from '../../../../domain/reader/reader.ts'
import type { Incoming, Reading } from '../../../../domain/reader/reading.ts'
import { findOrderId, orderIdOf } from '../../../../domain/reader/order-id.ts'
import { fromMinor, toMinor } from '../../../../domain/money.ts'
import { vietnamDay } from '../../../../domain/time.ts'
import { notifications, type CorpusEntry } from '../../../corpus/corpus.ts'
import { codeOf } from '../../../corpus/score.ts'
import { bestTime, timeOf } from '../../../harness/best-time.ts'
import { repetitions } from '../../../harness/repetitions.ts'

const arrival = new Date('2026-11-20T03:00:00Z')

const entries = notifications.filter(
  ({ channel, expected, provenance }) => channel !== 'email' && expected && provenance !== 'synthetic',
)

/** A seeded generator of numbers below 1 (mulberry32). */
const generator = (seed: number) => () => {
  seed = (seed + 0x6d2b79f5) | 0
  let mixed = Math.imul(seed ^ (seed >>> 15), 1 | seed)
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
}
type Random = ReturnType<typeof generator>

type Money = { amount: string; balance_after: string | null }
interface Changed {
  incoming: Incoming
  money: Money
}

const texts =
  (change: (text: string, random: Random) => string) =>
  (entry: CorpusEntry, random: Random): Changed => ({
    incoming: { ...entry, text: change(entry.text, random), title: entry.title && change(entry.title, random) },
    money: entry.expected!,
  })

const NUMBER = /\d{1,3}(?:([.,])\d{3})+(?:[.,]\d{2})?(?!\d)|\d+/g
const valueOf = (token: string, separator = ','): string | null => {
  const plain = token.replaceAll(separator, '')
  return /^\d{1,15}(\.\d{2})?$/.test(plain) ? fromMinor(toMinor(plain)) : null
}

/** Replaces amount and balance, and keeps their format. */
const otherNumbers = (entry: CorpusEntry, random: Random): Changed => {
  const money: Money = { amount: entry.expected!.amount, balance_after: entry.expected!.balance_after }
  const wanted: (keyof Money)[] = money.balance_after === null ? ['amount'] : ['amount', 'balance_after']
  const MARK = '\u0001'
  const changed = `${entry.title ?? ''}${MARK}${entry.text}`.replace(NUMBER, (token: string, separator?: string) => {
    const value = valueOf(token, separator)
    const field = wanted.find((each) => entry.expected![each]?.replace('-', '') === value)
    if (!field) return token
    const printed = entry.expected![field]!
    wanted.splice(wanted.indexOf(field), 1)
    const whole = String(1 + Math.floor(random() * 10 ** (1 + Math.floor(random() * 11))))
    const cents = /[.,]\d{2}$/.test(token) ? String(10 + Math.floor(random() * 90)) : ''
    money[field] = `${printed.startsWith('-') ? '-' : ''}${whole}.${cents || '00'}`
    const grouped = whole.replace(/\B(?=(?:\d{3})+$)/g, separator ?? ',')
    return cents ? `${grouped}.${cents}` : grouped
  })
  expect(wanted, `${entry.id}: numbers to change`).to.deep.equal([])
  const [title = '', text = ''] = changed.split(MARK)
  return { incoming: { ...entry, text, title: entry.title && title }, money }
}

const doubled = (text: string, random: Random) => text.replace(/ /g, () => ' '.repeat(1 + Math.floor(random() * 3)))

const changes: Record<string, (entry: CorpusEntry, random: Random) => Changed> = {
  'upper case': texts((text) => text.toUpperCase()),
  'lower case': texts((text) => text.toLowerCase()),
  'decomposed (NFD)': texts((text) => text.normalize('NFD')),
  'no-break blanks': texts((text) => text.replaceAll(' ', '\u00a0')),
  'doubled blanks': texts(doubled),
  'lines joined by blanks': texts((text) => text.replaceAll('\n', ' ')),
  'Windows line ends': texts((text) => text.replaceAll('\n', '\r\n')),
  'diacritics lost': texts((text) =>
    text.normalize('NFD').replace(/\p{M}/gu, '').replace(/đ/g, 'd').replace(/Đ/g, 'D'),
  ),
  'zero-width characters': texts((text, random) => text.replace(/ /g, () => (random() < 0.3 ? ' \u200b' : ' '))),
  'another minus': texts((text) => text.replace(/-(?= ?(?:VND )?\d[\d.,]* ?(?:VND|đ|\n))/g, '\u2212')),
  'other numbers': otherNumbers,
  'all at once': (entry, random) => {
    const { incoming, money } = otherNumbers(entry, random)
    const change = (text: string) => doubled(text.toLowerCase(), random).replaceAll(' ', '\u00a0').normalize('NFD')
    return {
      incoming: { ...incoming, text: change(incoming.text), title: incoming.title && change(incoming.title) },
      money,
    }
  },
}

describe('bank texts after harmless changes', () => {
  const ROUNDS = repetitions(5, 1)
  for (const [name, change] of Object.entries(changes))
    it(`are read in at least 95 % of cases and never wrongly: ${name}`, () => {
      const random = generator(20261120)
      let seen = 0
      let missed = 0
      for (const entry of entries)
        for (let round = 0; round < ROUNDS; round += 1) {
          const { incoming, money } = change(entry, random)
          const { reading } = read(incoming, arrival)
          seen += 1
          if (!reading) {
            missed += 1
            continue
          }
          expect(
            [reading.bank_code, reading.transaction_type, reading.currency, reading.amount, reading.balance_after],
            `${entry.id}: ${incoming.title} ${incoming.text}`,
          ).to.deep.equal([
            codeOf(entry.bank),
            entry.expected!.transaction_type,
            entry.expected!.currency,
            money.amount,
            money.balance_after,
          ])
        }
      expect((seen - missed) / seen).to.be.at.least(0.95)
    })
})

/** Changes that make the meaning of the bank unclear. The reader may refuse such a text, but must not misread it. */
const damages: Record<string, (text: string, random: Random) => string> = {
  'blanks lost': (text, random) => text.replace(/ /g, () => (random() < 0.3 ? '' : ' ')),
  'a word lost': (text, random) => {
    const words = text.split(/(\s+)/)
    words.splice(Math.floor(random() * words.length), 1)
    return words.join('')
  },
  'two words lost': (text, random) => {
    const words = text.split(/\s+/)
    for (let n = 0; n < 2; n += 1) words.splice(Math.floor(random() * words.length), 1)
    return words.join(' ')
  },
  'a line lost': (text, random) => {
    const lines = text.split('\n')
    lines.splice(Math.floor(random() * lines.length), 1)
    return lines.join('\n')
  },
  'a character lost': (text, random) => {
    const at = Math.floor(random() * text.length)
    return /[\d.,]/.test(text[at] ?? '') ? text : text.slice(0, at) + text.slice(at + 1)
  },
  'the sign lost': (text) => text.replace(/[+-](?= ?(?:VND |USD )?\d)/, ''),
  'dots for commas and commas for dots': (text) =>
    text.replace(/\d[\d.,]*\d/g, (number) => number.replace(/[.,]/g, (mark) => (mark === ',' ? '.' : ','))),
  'cut silently': (text, random) => text.slice(0, Math.floor(random() * text.length)),
  'lines of the phone before it': (text) => `MB Bank • 12:30\nThông báo\n${text}`,
  'another notification behind it': (text, random) =>
    `${text}\n${entries[Math.floor(random() * entries.length)]!.text}`,
}

describe('bank texts after damage', () => {
  /** `npm run fuzz` damages more texts. */
  const ROUNDS = repetitions(15, 1)
  const sources = (entry: CorpusEntry, text: string): Incoming[] => [
    { ...entry, text },
    { text, title: entry.title },
    { text, title: entry.title, sender: 'LPB' },
    { text, package: 'ops.namabank.com.vn' },
  ]
  /** The only sum of c202 has no currency, so the reader cannot distinguish it from the following text. */
  const all = notifications.filter(({ id, expected }) => expected && id !== 'c202')
  for (const [name, damage] of Object.entries(damages))
    it(`are never read with another amount, direction or currency, for any sender: ${name}`, () => {
      const random = generator(20261121)
      for (const entry of all)
        for (let round = 0; round < ROUNDS; round += 1)
          for (const incoming of sources(entry, damage(entry.text, random))) {
            const { reading } = read(incoming, arrival)
            if (!reading) continue
            expect(
              [reading.transaction_type, reading.amount, reading.currency],
              `${entry.id}: ${incoming.text}`,
            ).to.deep.equal([entry.expected!.transaction_type, entry.expected!.amount, entry.expected!.currency])
          }
    })
})

describe('cut bank texts', () => {
  const dayOf = (reading: Reading) => reading.printed_time && vietnamDay(new Date(reading.printed_time.at))

  const MARKS = ['', '...', '…']
  /** Marks that are tried at each position, in turn. `npm run fuzz` tries all of them. */
  const TRIED = repetitions(MARKS.length, 1)
  const marksAt = (offset: number) => Array.from({ length: TRIED }, (_, n) => MARKS[(offset + n) % MARKS.length]!)

  it('never yield part of a number, or another day, at any position of the cut', () => {
    for (const [index, entry] of entries.entries()) {
      const whole = read({ ...entry }, arrival).reading
      const showsAccount = /\d/.test(whole?.account_number ?? '')
      for (let end = 1; end < entry.text.length; end += 1)
        for (const mark of marksAt(index + end)) {
          const { reading } = read({ ...entry, text: entry.text.slice(0, end) + mark }, arrival)
          if (!reading) continue
          const where = `${entry.id} at ${end}`
          expect(reading.amount, where).to.equal(entry.expected!.amount)
          expect(reading.transaction_type).to.equal(entry.expected!.transaction_type)
          expect([null, dayOf(whole!)], where).to.include(dayOf(reading))
          if (mark === '') continue
          expect([null, entry.expected!.balance_after], where).to.include(reading.balance_after)
          if (showsAccount) expect(reading.account_number, where).to.equal(whole!.account_number)
          expect(reading.cut).to.equal(true)
        }
    }
  })

  it('never yield part of an order id, whatever follows the cut', () => {
    for (const entry of notifications) {
      const memo = entry.expected && read({ ...entry }, arrival).reading?.content
      const at = memo ? entry.text.indexOf(memo) : -1
      if (!memo || at < 0) continue
      const behind = entry.text.slice(at + memo.length)
      for (const mark of ['...', '…', '~', '....'])
        for (const rest of ['', '.', ' ', behind, behind.replace(/^\./, '')]) {
          const text = `${entry.text.slice(0, at)}tra DH10${mark}${rest}`
          const { reading } = read({ ...entry, text }, arrival)
          const found = reading && orderIdOf(reading.content, text, ['DH'])
          expect(found, `${entry.id}: ${text}`).to.equal(null)
        }
    }
  })
})

describe('any text', () => {
  const words = ['SD TK', 'TK', 'tai BIDV', '+', '-', '1,000', 'VND', 'luc', 'ND:', 'GD:', '|', 'Số dư', '\n', ' ', '...', '{', '%', '𝟙', 'đ', '01/01/26 10:00', 'So tien GD:', 'SODU:', 'DH10'] // prettier-ignore
  const text = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 300 }),
    fc.array(fc.constantFrom(...words), { maxLength: 60 }).map((parts) => parts.join('')),
  )

  it('gives a reading or a reason, and never throws', () => {
    fc.assert(
      fc.property(
        text,
        fc.option(text, { nil: undefined }),
        fc.option(text, { nil: undefined }),
        (body, title, sender) => {
          const { reading, reason } = read({ text: body, title, sender }, arrival)
          expect(reading === null).to.equal(reason !== null)
          if (reading) expect(reading.amount).to.match(/^\d{1,15}\.\d{2}$/)
        },
      ),
      { seed: 20261120, numRuns: repetitions(2_000, 500) },
    )
  })

  it('is read in less than 5 ms for 32 KB, from any sender', async () => {
    const shapes = ['đ', 'ồ ', 'TK 1 ', '+1,000VND ', 'SD: 1,000VND ', 'ND: ', '<td>', '*a* ', '| ', 'so tham chieu ', 'vua tang 1 VND vao ', 'nhan 1,000d tu a ', '1 234 567 ', '123 ', '\n'] // prettier-ignore
    const sources = [
      {},
      { from: 'a@mbbank.com.vn' },
      { from: 'a@timo.vn' },
      { sender: 'PublicBank' },
      { package: 'com.mservice.momotransfer' },
    ]
    for (const shape of shapes)
      for (const source of sources) {
        const whole = shape.repeat(Math.ceil(32_768 / Buffer.byteLength(shape)))
        // It takes at most 1.5 ms. The repetitions give a busy machine time to recover.
        const best = await bestTime(5, () => timeOf(() => read({ text: whole, ...source }, arrival)), 2_000)
        expect(best, JSON.stringify([shape, source])).to.be.below(5)
      }
  })

  it('is read in less than 500 ms if words of a balance repeat', async () => {
    for (const word of ['cua ', 'la ', 'con lai ', 'hien tai cua ', 'cua: ']) {
      // With 36 words, trying every split would take seconds, not forever.
      const text = `SD TK 0011000415567 +150,000VND. SD: ${word.repeat(36)}x`
      const best = await bestTime(500, () => timeOf(() => read({ text }, arrival)), 5)
      expect(best, word).to.be.below(500)
    }
  })

  it('is read in linear time', () => {
    const shapes = ['TK ', 'SD TK 001 +1,000VND luc ', 'a ', '1,000', 'đ ', 'a - ', 'd-h ', 'Ma giao dich: a1b2 ', 'otp ', '+', 'a{b', 'so du la ', 'CT tu 0011000 ', '.', '[a', 'SODU:+1 ', '\n', '0200970422', 'TU: ', '…'] // prettier-ignore
    const heads = [
      '',
      'SD TK 001 +1,000VND luc 01-01-2026 10:00:00. SD 1VND. Ref ',
      '16:54;11/06/2018 TK:0417VND PS:-155,595 ND:',
      'TK 1|GD: +1VND 01/01/26 10:00|SD:1VND|TU: ',
      'Tai khoan thanh toan: 501\nSo tien GD: -6,000VND\nNoi dung giao dich: ',
    ]
    const timeOf = (incoming: Incoming): number => {
      const start = performance.now()
      const { reading } = read(incoming, arrival)
      findOrderId(reading?.content ?? incoming.text, ['DH', 'SHOP'])
      return performance.now() - start
    }
    // The last character prevents a match, so the reader searches from every position.
    const row = (head: string, shape: string, length: number) =>
      `${head}${shape.repeat(Math.ceil(length / shape.length))}x`
    const expectLinear = (name: string, textOf: (length: number) => Incoming): void => {
      // A notification of more than 8,000 characters is shortened, so both the lengths below and above that are measured.
      for (const length of [900, 4_000]) {
        const [shortText, longText] = [textOf(length), textOf(8 * length)]
        let [short, long, limit] = [Infinity, Infinity, 0]
        // The repetitions give a busy machine time to recover.
        for (let run = 0; run < 2 || (run < 200 && long > limit); run += 1) {
          short = Math.min(short, timeOf(shortText))
          long = Math.min(long, timeOf(longText))
          // Quadratic time would be 64 times larger. A time too short to measure passes.
          limit = 24 * Math.max(short, 1)
        }
        expect(long, `${name}…: ${short} ms, then ${long} ms`).to.be.at.most(limit)
      }
    }
    for (const head of heads)
      for (const shape of shapes) expectLinear(head + shape, (length) => ({ text: row(head, shape, length) }))
    expectLinear('stars between a label and its value', (length) => ({ text: `STK: ${'*'.repeat(length)}: 1` }))
    expectLinear('bars in a memo', (length) => ({
      text: row('Acc 0123456: +1,000VND. Bal: 5,000VND. ND: a', '|', length),
    }))
    expectLinear('the first words of a text in its memo', (length) => ({
      text: row('TK 19132608281111 So tien GD:-3,286,802 So du:112,765,887 ', 'TK ', length),
    }))
    expectLinear('carriage returns and stars in a mail', (length) => ({
      text: row('', '\r*\x01\r', length),
      from: 'info@mbbank.com.vn',
    }))
  })

  it('is read about as quickly with hundreds of the labels of which each could begin the memo', () => {
    const timeOf = (label: string): number => {
      const start = performance.now()
      read({ text: label.padEnd(16, 'x ').repeat(490) }, arrival)
      return performance.now() - start
    }
    let [memo, other] = [Infinity, Infinity]
    for (let run = 0; run < 5 || (run < 200 && memo > 4 * other); run += 1) {
      memo = Math.min(memo, timeOf('GD: '))
      other = Math.min(other, timeOf('TK: '))
    }
    expect(memo).to.be.at.most(4 * other)
  })
})
