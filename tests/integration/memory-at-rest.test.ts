import { execFile } from 'node:child_process'
import { Agent, get } from 'node:http'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { bundledScript } from '../harness/bundled-script.ts'

const SCRIPT = fileURLToPath(new URL('heap-at-rest.ts', import.meta.url))

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
  which = 'much',
  onPort: (port: string) => void = () => {},
): Promise<Printed> => {
  const running = promisify(execFile)(process.execPath, [...nodeOptions, await bundledScript(SCRIPT), which])
  running.child.stderr?.once('data', (line: Buffer) => onPort(String(line).trim()))
  return JSON.parse((await running).stdout) as Printed
}

describe('memory at rest', () => {
  it('is returned to the system', async () => {
    const { before, after, collections } = await run(['--expose-gc'])
    expect(collections).to.be.within(1, 5)
    expect(after).to.be.below(before - 30)
  })

  it('is returned after some checks if it is little, like that of a start', async () => {
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
