/**
 * Compares the answers of the stand-in with those of a real server. The recorded requests and answers are outside the
 * repository, so a clone without them skips this test.
 */
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { standInUrl } from '../../harness/eventstoredb/process.ts'
import { startStandIn } from '../../harness/eventstoredb/server.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const folder = fileURLToPath(new URL('../../../../shared/eventstoredb', import.meta.url))

if (existsSync(folder) || process.env.REQUIRE_ALL === '1')
  describe('the stand-in for EventStoreDB', () => {
    it('answers every request as the real server did', async function () {
      this.timeout(120_000)
      const standIn = await startStandIn()
      try {
        const args = [`${folder}/probe.mjs`, standInUrl(standIn.port), '--against', `${folder}/expected.jsonl`]
        const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: root }).catch(
          (error: { stdout: string; stderr: string }) => ({ stdout: error.stdout + error.stderr }),
        )
        expect(stdout.trim().split('\n').at(-1), stdout).to.match(/^[1-9]\d+ passed, 0 failed$/)
      } finally {
        await standIn.close()
      }
    })
  })
