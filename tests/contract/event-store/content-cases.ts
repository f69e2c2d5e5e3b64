import { expect } from 'chai'
import { NO_STREAM } from '../../../domain/ports.ts'
import { appended, appendOne, checkpointOf, event, part, readStream, streamName, type Cases } from './harness.ts'

/** JSON of exactly this many bytes. */
const jsonOfBytes = (bytes: number): unknown => (bytes === 1 ? 7 : 'x'.repeat(bytes - 2))

const TEXTS = {
  'composed Vietnamese': 'Nguyễn Văn Ánh chuyển khoản tiền điện',
  'decomposed Vietnamese': 'Nguyễn Văn Ánh chuyển khoản tiền điện'.normalize('NFD'),
  'beyond the basic plane': '💸🇻🇳 𝔹𝕒𝕠𝕔𝕠',
  'a NUL': 'before\u0000after',
  'control characters': '\u0001\t\r\n\u001f\u007f\u0085',
  'lone surrogates': 'high \ud83d low \udcb8',
  'separators and marks': '\u2028\u2029\ufeff\u200b\u202e',
  'quotes of all kinds': `'"\\'' $$ $1 \${x} \`--; DROP TABLE event; /* %s {} */ \\u0000 \\n`,
}

export const contentCases: Cases = (under) => {
  for (const bytes of [1, 2, 1_000, 60_000, 1_000_000])
    it(`keeps an event of ${bytes} bytes`, async () => {
      const { store } = under()
      const stream = streamName()
      const written = event(jsonOfBytes(bytes))
      const unit = [part(stream, NO_STREAM, [written])]
      const checkpoint = await appended(store, unit)
      expect(await appended(store, unit)).to.equal(checkpoint)
      const [read] = await readStream(store, stream)
      expect(read).to.deep.equal({ ...written, stream, revision: 0, checkpoint })
    })

  for (const [what, text] of Object.entries(TEXTS))
    it(`keeps ${what}`, async () => {
      const { store } = under()
      const stream = streamName()
      const first = event({ text, [text]: [text] })
      const second = event({ text, deep: { er: [null, true, -0.5, 1e21, text] } })
      // The second round uses the path for conflicts.
      for (const unit of [
        [part(stream, NO_STREAM, [first])],
        [part(stream, NO_STREAM, [first]), part(stream, 0, [second])],
      ])
        await appended(store, unit)
      const [one, two] = await readStream(store, stream)
      expect(one!.data).to.deep.equal(first.data)
      expect(two!.data).to.deep.equal(second.data)
    })

  it('keeps type, metadata and a name beyond ASCII', async () => {
    const { store } = under()
    const stream = `${streamName()}-Tiền về-💸'"$1`
    const written = {
      ...event(null, 'Đã ghi'),
      metadata: { ...event().metadata, user_id: null, correlation_id: `'"\n💸` },
    }
    const checkpoint = await appended(store, [part(stream, NO_STREAM, [written])])
    expect(await readStream(store, stream)).to.deep.equal([{ ...written, stream, revision: 0, checkpoint }])
  })

  it('refuses an invalid event without affecting other callers', async () => {
    const { store } = under()
    const good = Array.from({ length: 10 }, () => streamName())
    const circle: Record<string, unknown> = {}
    circle.circle = circle
    const bad = [
      event('x'.repeat(2_000_000)),
      { ...event(), id: 'not-a-uuid' },
      { ...event(), type: 'broken\nin two' },
      { ...event(), type: 'lone \ud83d' },
      { ...event(), data: undefined },
      event(circle),
      event(10n),
    ]
    const stream = streamName()
    const [refused, taken] = await Promise.all([
      Promise.all(
        bad.map((one) => store.append([[part(stream, NO_STREAM, [event(), one])]]).catch((error: unknown) => error)),
      ),
      Promise.all(good.map((name) => appendOne(store, [part(name, NO_STREAM)]))),
    ])
    for (const error of refused) expect(error).to.be.instanceOf(Error)
    taken.forEach(checkpointOf)
    expect(await readStream(store, stream)).to.have.length(0)
  })
}
