/**
 * Installs the pooler for the tests, Debian's PgBouncer, once.
 *
 * node --import tsx tests/harness/pgbouncer/install.ts
 *
 * The tests run their own instance, with its own port and folder.
 */
import { fileURLToPath } from 'node:url'
import { installPackage, needs } from '../debian.ts'

export const PROGRAM = '/usr/sbin/pgbouncer'

const installPgBouncer = (): Promise<void> => installPackage('pgbouncer', [PROGRAM])

/** For suites that need a real pooler. */
export const needsPgBouncer = needs('PgBouncer', installPgBouncer)

if (process.argv[1] === fileURLToPath(import.meta.url)) await installPgBouncer()
