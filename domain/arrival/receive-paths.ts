// Tests: tests/unit/workflows/scheduled/watch-sources.test.ts
/** The receive paths of an account, as sources name them: `device-7`, `key-8`, `mailbox-3`, `url`. */

export type ReceivePath = string

export const mailboxPath = (mailAccountId: number): ReceivePath => `mailbox-${mailAccountId}`
export const devicePath = (deviceId: number): ReceivePath => `device-${deviceId}`
/** The receive path of a scoped key. */
export const keyPath = (apiKeyId: number): ReceivePath => `key-${apiKeyId}`
export const URL_PATH: ReceivePath = 'url'

/** The receive path of a source. */
export const pathOfSource = (source: string): ReceivePath => source.split(':', 1)[0]!
