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
import { startStandIn, type StandIn } from '../../harness/eventstoredb/server.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const folder =
  process.env.EVENTSTORE_PROBE ?? fileURLToPath(new URL('../../../../shared/eventstoredb', import.meta.url))

if (existsSync(folder) || process.env.REQUIRE_ALL === '1')
  describe('the stand-in for EventStoreDB', () => {
    let standIn: StandIn
    beforeEach(async () => (standIn = await startStandIn()))
    afterEach(() => standIn.close())

    const probe = async (...args: string[]): Promise<string> => {
      const command = [`${folder}/probe.mjs`, standInUrl(standIn.port), ...args]
      const { stdout } = await promisify(execFile)(process.execPath, command, { cwd: root }).catch(
        (error: { stdout: string; stderr: string }) => ({ stdout: error.stdout + error.stderr }),
      )
      return stdout
    }

    it('answers every request as the real server did', async () => {
      const printed = await probe('--against', `${folder}/expected.jsonl`)
      expect(printed.trim().split('\n').at(-1), printed).to.match(/^[1-9]\d+ passed, 0 failed$/)
    })

    it('answers as the real server did about events that an operator or another program may leave behind', async () => {
      const printed = await probe('--edges', '--against', `${folder}/edges.jsonl`)
      expect(printed.trim().split('\n').at(-1), printed).to.match(/^[1-9]\d+ passed, 0 failed$/)
    })
  })
