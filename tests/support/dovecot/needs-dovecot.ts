/** For suites that need a real IMAP server; where none can be had they are left out. */
import { installDovecot } from './install.ts'

let installed: Promise<string | Error> | undefined

/** Leaves the suites around it out, and says so; an error where everything must run. To be called in a `describe`, first. */
export const needsDovecot = (): void => {
  before(async function () {
    this.timeout(300_000)
    const had = installed !== undefined
    const program = await (installed ??= installDovecot().catch((error: Error) => error))
    if (typeof program === 'string') return
    if (process.env.REQUIRE_ALL === '1') throw program
    if (!had) console.log(`    no IMAP server here, so its tests are left out: ${program.message}`)
    this.skip()
  })
}
