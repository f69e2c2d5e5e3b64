/**
 * Installs the IMAP server for the mail tests, Debian's Dovecot, once.
 *
 * The tests run their own instance, with its own ports and folder.
 */
import { installPackage, needs } from '../debian.ts'

export const PROGRAM = '/usr/sbin/dovecot'

export const installDovecot = (): Promise<void> => installPackage('dovecot-imapd', [PROGRAM, '/usr/lib/dovecot/imap'])

/** For suites that need a real IMAP server. */
export const needsDovecot = needs('IMAP server', installDovecot)
