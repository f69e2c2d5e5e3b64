/**
 * Measures texts read per second on one core, with the sender or app known, and with the bank detected from the text. The texts are the
 * real SMS and pushes of the corpus, in turn. Then measures the longest time for a text of 32 KB.
 */
import { read } from '../domain/reader/reader.ts'
import type { Incoming } from '../domain/reader/reading.ts'
import { notifications } from '../tests/corpus/corpus.ts'

const SECONDS = Number(process.env.SECONDS ?? 2)
const AT = new Date('2026-11-20T03:00:00Z')
const BATCH = 200

const entries = notifications.filter(
  ({ channel, expected, provenance }) => expected && provenance === 'real' && channel !== 'email',
)

/** Every entry with a name of its bank: its own sender or package, or those of another entry of the same bank. */
const senderOf = new Map(notifications.flatMap(({ bank, sender }) => (bank && sender ? [[bank, sender] as const] : [])))
const packageOf = new Map(
  notifications.flatMap((each) => (each.bank && each.package ? [[each.bank, each.package] as const] : [])),
)
const named: Incoming[] = entries.map(({ bank, channel, text, title, sender, package: app }) =>
  channel === 'notification'
    ? { text, title, package: app ?? packageOf.get(bank ?? '') }
    : { text, title, sender: sender ?? senderOf.get(bank ?? '') },
)
const bare: Incoming[] = entries.map(({ text, title }) => ({ text, title }))

const rate = (texts: readonly Incoming[]): number => {
  const run = (milliseconds: number): number => {
    const start = performance.now()
    let done = 0
    while (performance.now() - start < milliseconds)
      for (let n = 0; n < BATCH; n += 1) read(texts[done++ % texts.length]!, AT)
    return (done / (performance.now() - start)) * 1000
  }
  run(500)
  return run(SECONDS * 1000)
}

const longest = (): { shape: string; milliseconds: number } => {
  let worst = { shape: '', milliseconds: 0 }
  for (const shape of [
    'đ',
    'ồ ',
    'TK 1 ',
    'a ',
    '1,000 ',
    '+1,000VND ',
    'SD: 1,000VND ',
    'ND: ',
    'a - ',
    '<td>',
    '*a* ',
  ]) {
    const text = shape.repeat(Math.ceil(32_768 / Buffer.byteLength(shape)))
    let best = Infinity
    for (let n = 0; n < 7; n += 1) {
      const start = performance.now()
      read({ text }, AT)
      best = Math.min(best, performance.now() - start)
    }
    if (best > worst.milliseconds) worst = { shape, milliseconds: best }
  }
  return worst
}

console.log(`sender or app known: ${rate(named).toFixed(0)} texts/s on one core (at least 100,000)`)
console.log(`found by the text:   ${rate(bare).toFixed(0)} texts/s on one core (at least 25,000)`)
const { shape, milliseconds } = longest()
console.log(`32 KB of ${JSON.stringify(shape)}: ${milliseconds.toFixed(2)} ms, the slowest (below 5)`)
