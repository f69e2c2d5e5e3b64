import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { NO_STREAM } from '../../../domain/ports.ts'
import { forkBundled } from '../../harness/bundled-script.ts'
import { eventually } from '../../harness/eventually.ts'
import { repetitions } from '../../harness/repetitions.ts'
import { appended, part, readStream, revisionsOf, streamName, upTo, type Cases, type StoreHarness } from './harness.ts'

const ROUNDS = repetitions(10, 1)

/** Starts the appending process. `acknowledged` grows as its appends are answered. */
const startChild = async ({ child: { module, argument } }: StoreHarness, prefix: string) => {
  const acknowledged = new Map<string, number>()
  let count = 0
  const script = fileURLToPath(new URL('appending-child.ts', import.meta.url))
  const child = await forkBundled(script, module, [argument, prefix])
  child.on('message', ({ stream, revision }: { stream: string; revision: number }) => {
    acknowledged.set(stream, revision)
    count++
  })
  return { child, acknowledged, count: () => count }
}

export const freezeCases: Cases = (under) => {
  it('in the middle of its appends delays no other process, and continues when it wakes', async () => {
    const { store } = under()
    const prefix = `${streamName('frozen')}-`
    const { child, acknowledged, count } = await startChild(under(), prefix)
    try {
      for (let round = 0; round < ROUNDS; round++) {
        const enough = count() + 1 + Math.floor(Math.random() * 40)
        await eventually(() => child.exitCode === null && count() >= enough)
        child.kill('SIGSTOP')
        const started = performance.now()
        for (let n = 0; n < 20; n++) await appended(store, [part(streamName(), NO_STREAM)])
        expect(performance.now() - started).to.be.lessThan(3_000)
        child.kill('SIGCONT')
      }
      const before = count()
      await eventually(() => count() > before + 10)
    } finally {
      child.kill('SIGKILL')
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
    }
    expect(acknowledged.size).to.be.greaterThan(0)
    for (const [stream, revision] of acknowledged) {
      const revisions = revisionsOf(await readStream(store, stream))
      expect(revisions).to.deep.equal(upTo(revisions.length))
      expect(revisions.length - 1).to.be.at.least(revision)
    }
  })
}
