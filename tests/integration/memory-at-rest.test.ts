import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect } from 'chai'

/**
 * Prints the size of the heap in MB before and after it has rested for at most three seconds, and how often everything was collected. The work
 * that it may have uses half a core.
 */
const SCRIPT = `
  import { getHeapStatistics } from 'node:v8'
  import { releaseMemoryAtRest } from './adapters/system/memory-at-rest.ts'
  const size = () => getHeapStatistics().total_physical_size / 1048576
  let collections = 0
  const collect = globalThis.gc
  if (collect) globalThis.gc = () => {
    collections++
    collect()
  }
  const objects = Array.from({ length: 3_000_000 }, (_, n) => ({ n, text: 'text ' + n }))
  const before = size()
  // So much stays in use that it is worth a collection even if V8 has just made one.
  objects.length = 2_000_000
  releaseMemoryAtRest(100)
  const work = setInterval(() => {
    if (process.argv[1] !== 'busy') return
    for (const until = performance.now() + 20; performance.now() < until; );
  }, 20)
  const until = performance.now() + 3_000
  while ((collections === 0 || size() > before - 30) && performance.now() < until) await new Promise((next) => setTimeout(next, 20))
  clearInterval(work)
  console.log(JSON.stringify({ before, after: size(), collections, kept: objects.length }))`

interface Printed {
  before: number
  after: number
  collections: number
}

const run = async (nodeOptions: readonly string[], ...words: string[]): Promise<Printed> => {
  const options = [...nodeOptions, '--import=tsx', '--input-type=module', '--eval', SCRIPT, ...words]
  return JSON.parse((await promisify(execFile)(process.execPath, options)).stdout) as Printed
}

describe('memory at rest', () => {
  it('is returned to the system', async () => {
    const { before, after, collections } = await run(['--expose-gc'])
    expect(collections).to.be.within(1, 5)
    expect(after).to.be.below(before - 30)
  })

  it('is kept while there is work', async () => {
    expect(await run(['--expose-gc'], 'busy')).to.include({ collections: 0 })
  })

  it('is left to V8 without --expose-gc', async () => {
    expect(await run([])).to.include({ collections: 0 })
  })
})
