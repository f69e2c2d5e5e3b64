/**
 * Installs the IMAP server for the mail tests, Debian's Dovecot, once.
 *
 * node --import tsx tests/harness/dovecot/install.ts
 *
 * The tests run their own instance, with its own ports and folder.
 */
import { fileURLToPath } from 'node:url'
import { installPackage, needs } from '../debian.ts'

export const PROGRAM = '/usr/sbin/dovecot'

const installDovecot = (): Promise<void> => installPackage('dovecot-imapd', [PROGRAM, '/usr/lib/dovecot/imap'])

/** For suites that need a real IMAP server. */
export const needsDovecot = needs('IMAP server', installDovecot)

if (process.argv[1] === fileURLToPath(import.meta.url)) await installDovecot()
