import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { seldom, silent } from '../../../../adapters/telemetry/log-lines.ts'

const MODULE = new URL('../../../../adapters/telemetry/log-lines.ts', import.meta.url).href
const ROOT = fileURLToPath(new URL('../../../..', import.meta.url))

/** The log lines of a process that runs these statements and exits at once. */
const say = (level: string, statements: string) => {
  const program = `import { openLogLines } from '${MODULE}'; const log = openLogLines('${level}'); ${statements}; process.exit(0)`
  const { stdout, stderr } = spawnSync(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', program], {
    cwd: ROOT,
    encoding: 'utf8',
  })
  expect(stdout).to.equal('')
  return stderr
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Record<string, unknown>)
}

describe('log lines', () => {
  it('are JSON on standard error with an event name, and are all written when the process ends', () => {
    const lines = say(
      'info',
      "for (let id = 0; id < 500; id++) log.info({ id }, 'notification.received'); log.debug({}, 'too.small')",
    )
    // What is written at the end may overtake the lines that the system is just writing.
    expect(lines.map(({ id }) => id)).to.have.members(Array.from({ length: 500 }, (_, id) => id))
    expect(lines.find(({ id }) => id === 499)).to.deep.include({ level: 'info', event: 'notification.received' })
    expect(Date.parse(String(lines[0]?.time))).to.be.closeTo(Date.now(), 60_000)
  })

  it('never contain a secret or a notification, even by mistake', () => {
    const [line] = say('info', "log.warn({ user_id: 1, token: 'tok-1', text: 'SD TK', api_key: 'bck_1' }, 'x')")
    expect(line).to.deep.include({ user_id: 1 })
    expect(JSON.stringify(line)).to.not.match(/tok-1|SD TK|bck_1/)
  })

  it('contain only the type, message and code of an error and its cause', () => {
    const [line] = say(
      'info',
      `const cause = Object.assign(new TypeError('twice'), { code: '23505', detail: 'Key (email)=(an@shop.vn) exists.' })
       log.warn({ err: new Error('no answer', { cause }) }, 'trouble')`,
    )
    expect(line!.err).to.deep.include({ type: 'Error', message: 'no answer' })
    expect((line!.err as { cause: object }).cause).to.include({ type: 'TypeError', message: 'twice', code: '23505' })
    expect(JSON.stringify(line)).to.not.include('an@shop.vn')
  })

  it('of retries with the same reason are one in ten seconds, with the number of the others', () => {
    let now = 0
    const written: object[] = []
    const lines = seldom({ ...silent, warn: (fields, what) => written.push({ ...fields, what }) }, () => now)
    for (; now <= 10_000; now += 500) {
      lines.warn({ projector: 'main', reason: `could not extend file "base/5/${now}"` }, 'projection.away')
      lines.warn({ err: new Error('connect ECONNREFUSED') }, 'trouble')
    }
    const away = { projector: 'main', what: 'projection.away' }
    expect(written.filter((line) => !('err' in line))).to.deep.equal([
      { ...away, reason: 'could not extend file "base/5/0"' },
      { ...away, reason: 'could not extend file "base/5/10000"', repeated: 19 },
    ])
    expect(written).to.have.length(4)
    for (const projector of ['main', 'search']) lines.warn({ projector, reason: 'away' }, 'projection.away')
    for (let n = 0; n < 2; n++) lines.warn({ pid: 1 }, 'database.leftover_stopped')
    expect(written).to.have.length(8)
  })

  it('of retries at two servers are kept apart', () => {
    const written: object[] = []
    const lines = seldom({ ...silent, warn: (fields) => written.push(fields) }, () => 0)
    // prettier-ignore
    for (const server of ['10.0.0.1:9092', '10.0.0.2:9092', '10.0.0.2:2113', '[::1]:9092', 'kafka-1:9092', 'kafka-2:9092', 'kafka-2'])
      for (let n = 1; n <= 2; n++)
        lines.warn({ reason: `could not reach ${server}, in ${n} attempts of ${n}.5s, at "base/5/${n}" (2026-11-20T10:00:0${n}.000Z)` }, 'log.trouble')
    expect(written).to.have.length(7)
  })
})
