import { execFile } from 'node:child_process'
import { Agent, get } from 'node:http'
import { promisify } from 'node:util'
import { expect } from 'chai'

/**
 * Prints the size of the heap and of its young objects in MB before and after it has rested, and how often everything was collected. The work
 * that it may have uses half a core. It first prints the port of an HTTP server on stderr.
 */
const SCRIPT = `
  import { createServer } from 'node:http'
  import { getHeapSpaceStatistics, getHeapStatistics } from 'node:v8'
  import { releaseMemoryAtRest } from './adapters/system/memory-at-rest.ts'
  const word = process.argv[1]
  const size = () => getHeapStatistics().total_physical_size / 1048576
  const young = () => getHeapSpaceStatistics().find((space) => space.space_name === 'new_space').physical_space_size / 1048576
  let collections = 0
  const collect = globalThis.gc
  if (collect) globalThis.gc = () => {
    collections++
    collect()
  }
  const objects = Array.from({ length: word === 'little' ? 200_000 : 3_000_000 }, (_, n) => ({ n, text: 'text ' + n }))
  const before = size()
  const youngBefore = young()
  // So much stays in use that it is worth a collection even if V8 has just made one.
  objects.length = word === 'little' ? 0 : 2_000_000
  const server = createServer((request, response) => void response.end())
  await new Promise((next) => server.listen(0, '127.0.0.1', next))
  console.error(server.address().port)
  if (word === 'asked') await new Promise((next) => server.once('request', next))
  // The client, which other work on the machine may hold up, must send more than two requests from one look to the next.
  releaseMemoryAtRest(word === 'asked' ? 700 : word === 'young' ? undefined : 100)
  const work = setInterval(() => {
    if (word !== 'busy') return
    for (const until = performance.now() + 20; performance.now() < until; );
  }, 20)
  const isReturned = { little: () => size() < before - 8, young: () => young() < 16 }[word] ?? (() => size() <= before - 30)
  const until = performance.now() + (word === 'busy' || word === 'asked' || !collect ? 3_000 : 60_000)
  while ((collections === 0 || !isReturned()) && performance.now() < until) await new Promise((next) => setTimeout(next, 20))
  clearInterval(work)
  server.close()
  server.closeAllConnections()
  console.log(JSON.stringify({ before, after: size(), youngBefore, young: young(), collections, kept: objects.length }))`

interface Printed {
  before: number
  after: number
  youngBefore: number
  young: number
  collections: number
}

/** @param onPort  receives the port of the script's server */
const run = async (
  nodeOptions: readonly string[],
  word = '',
  onPort: (port: string) => void = () => {},
): Promise<Printed> => {
  const options = [...nodeOptions, '--import=tsx', '--input-type=module', '--eval', SCRIPT, word]
  const running = promisify(execFile)(process.execPath, options)
  running.child.stderr?.once('data', (line: Buffer) => onPort(String(line).trim()))
  return JSON.parse((await running).stdout) as Printed
}

describe('memory at rest', () => {
  it('is returned to the system', async () => {
    const { before, after, collections } = await run(['--expose-gc'])
    expect(collections).to.be.within(1, 5)
    expect(after).to.be.below(before - 30)
  })

  it('is returned after some looks if it is little, like that of a start', async () => {
    const { before, after } = await run(['--expose-gc'], 'little')
    expect(before).to.be.below(100)
    expect(after).to.be.below(before - 8)
  })

  it('of young objects is returned too, with the options of npm start', async () => {
    const { youngBefore, young } = await run(
      ['--expose-gc', '--min-semi-space-size=4', '--max-semi-space-size=32'],
      'young',
    )
    expect(youngBefore).to.be.above(30)
    expect(young).to.be.below(16)
  })

  it('is kept while there is work', async () => {
    expect(await run(['--expose-gc'], 'busy')).to.include({ collections: 0 })
  })

  it('is kept while requests arrive, even if they cost hardly anything', async () => {
    let asking: NodeJS.Timeout | undefined
    const agent = new Agent({ keepAlive: true })
    const ask = (port: string) => get({ port, agent }, (response) => response.resume()).on('error', () => {})
    const printed = await run(['--expose-gc'], 'asked', (port) => (asking = setInterval(ask, 150, port)))
    clearInterval(asking)
    agent.destroy()
    expect(printed).to.include({ collections: 0 })
  })

  it('is left to V8 without --expose-gc', async () => {
    expect(await run([])).to.include({ collections: 0 })
  })
})
