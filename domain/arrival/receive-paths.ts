/** The receive paths of an account, as sources name them: `device-7`, `key-8`, `mailbox-3`, `url`. */

export type Door = string

export const mailboxDoor = (mailAccountId: number): Door => `mailbox-${mailAccountId}`
export const deviceDoor = (deviceId: number): Door => `device-${deviceId}`
/** The receive path of a scoped key. */
export const keyDoor = (apiKeyId: number): Door => `key-${apiKeyId}`
export const URL_DOOR: Door = 'url'

/** The receive path of a source. */
export const doorOfSource = (source: string): Door => source.split(':', 1)[0]!
