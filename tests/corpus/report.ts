/**
 * `npm run corpus`: reports how the corpus is read, per bank and channel, in two halves: one to tune layouts on, and one to look at only
 * afterwards. Invented texts (`synthetic`) are counted separately. Exits with 1 if a text is read wrongly.
 */
import { notifications } from './corpus.ts'
import { halfOf, scoreOf, type Scored } from './score.ts'

const count = (scored: readonly Scored[], score: Scored['score']): number =>
  scored.filter((each) => each.score === score).length

const row = (name: string, scored: readonly Scored[]): string =>
  [
    name.padEnd(28),
    ...(['right', 'unread', 'wrong'] as const).map((score) => String(count(scored, score) || '.').padStart(8)),
  ].join('')

const grouped = (scored: readonly Scored[], name: (each: Scored) => string): [string, Scored[]][] => {
  const groups = new Map<string, Scored[]>()
  for (const each of scored) groups.set(name(each), [...(groups.get(name(each)) ?? []), each])
  return [...groups].sort(([a], [b]) => (a < b ? -1 : 1))
}

const share = (scored: readonly Scored[]): string =>
  scored.length === 0 ? '-' : `${((count(scored, 'right') / scored.length) * 100).toFixed(1)} % of ${scored.length}`

const all = notifications.map(scoreOf)
const transactions = all.filter(({ entry }) => entry.expected)
const negatives = all.filter(({ entry }) => !entry.expected)

for (const half of ['tuned', 'held out'] as const) {
  const here = (each: Scored): boolean => halfOf(each.entry) === half
  console.log(`\n=== ${half} half ===\n${''.padEnd(28)}   right  unread   wrong`)
  for (const [name, scored] of grouped(
    transactions.filter(here),
    ({ entry }) => `${entry.bank ?? 'none'} ${entry.channel}`,
  ))
    console.log(row(name, scored))
  console.log(`no transaction, by kind${''.padEnd(5)} ignored             read`)
  for (const [name, scored] of grouped(negatives.filter(here), ({ entry }) => entry.tags?.at(-1) ?? 'none'))
    console.log(row(name, scored))
}

const details = all.filter(({ score }) => score !== 'right')
if (details.length > 0) console.log('\n=== unread or wrong ===')
for (const { entry, score, reason } of details)
  console.log(`${entry.id} ${entry.bank} ${entry.channel} ${entry.provenance}: ${score}${reason ? `, ${reason}` : ''}`)
const blurred = transactions.filter(({ differs, reading }) => reading && differs.length > 0)
if (blurred.length > 0) console.log('\n=== money right, something beside it not as expected ===')
for (const { entry, differs } of blurred)
  console.log(`${entry.id} ${entry.bank} ${entry.channel}: ${differs.join(', ')}`)

console.log('\n=== together ===')
for (const provenance of ['real', 'sample', 'synthetic'] as const)
  console.log(
    `${provenance.padEnd(10)} transactions read right: ${share(transactions.filter(({ entry }) => entry.provenance === provenance))}`,
  )
console.log(`negatives ignored: ${share(negatives)}`)
const wrong = count(all, 'wrong')
console.log(`read wrongly: ${wrong}`)
process.exitCode = wrong === 0 ? 0 : 1
