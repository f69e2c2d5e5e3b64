/**
 * Installs the pooler for the tests, Debian's PgBouncer, once.
 *
 * The tests run their own instance, with its own port and folder.
 */
import { installPackage, needs } from '../debian.ts'

export const PROGRAM = '/usr/sbin/pgbouncer'

export const installPgBouncer = (): Promise<void> => installPackage('pgbouncer', [PROGRAM])

/** For suites that need a real pooler. */
export const needsPgBouncer = needs('PgBouncer', installPgBouncer)
