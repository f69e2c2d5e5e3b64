/** The version that is released is the one that every place reports. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import { World } from '../harness/world.ts'

const ROOT = new URL('../..', import.meta.url)

describe('the version of package.json', function () {
  it('is that of `--version`, of /healthz, of the metrics and of the document of the API', async () => {
    const { version } = JSON.parse(readFileSync(new URL('package.json', ROOT), 'utf8')) as { version: string }
    const world = await World.open()
    try {
      const get = async (path: string) => (await fetch(world.baoco.baseUrl + path)).text()
      const printed = execFileSync(process.execPath, ['cmd/baoco.mjs', '--version'], { cwd: ROOT, encoding: 'utf8' })
      const document = JSON.parse(await get('/api/openapi.json')) as { info: { version: string } }
      const [, measured] = /^baoco_build_info\{version="([^"]*)"\} 1$/m.exec(await get('/metrics')) ?? []
      expect({
        printed: printed.trim(),
        healthz: (JSON.parse(await get('/healthz')) as { version: string }).version,
        measured,
        document: document.info.version,
      }).to.deep.equal({ printed: version, healthz: version, measured: version, document: version })
    } finally {
      await world.close()
    }
  })
})
