/**
 * Installs every program that the tests use and that is not here yet: a broker, Debian's programs, other versions of Node.js, and a generator
 * of clients. `.ci/run` runs it. Without it, each suite installs what it needs.
 *
 * node --import tsx tests/harness/install.ts
 */
import { installChromium } from './chromium/install.ts'
import { installDovecot } from './dovecot/install.ts'
import { installFaketime } from './faketime/install.ts'
import { prepareKafka } from './kafka/install.ts'
import { installNode, NODE_18, NODE_24 } from './node/install.ts'
import { installPgBouncer } from './pgbouncer/install.ts'
import { installPhp } from './php/install.ts'
import { installPythonClients } from './python-client/install.ts'
import { installPostgres } from './stock-postgres/install.ts'

/** One after another, because Debian installs one package at a time. */
const installDebians = async (): Promise<void> => {
  for (const install of [
    installDovecot,
    installPostgres,
    installPgBouncer,
    installFaketime,
    installChromium,
    installPhp,
  ])
    await install()
}

const results = await Promise.allSettled([
  prepareKafka(),
  installNode(NODE_24),
  installNode(NODE_18),
  installPythonClients(),
  installDebians(),
])
for (const result of results) if (result.status === 'rejected') console.error(String(result.reason))
process.exit(results.some(({ status }) => status === 'rejected') ? 1 : 0)
