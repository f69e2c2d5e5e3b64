/** The objects of alerts about things of an account, as events and the API name them. */
import type { ReceivePath } from '../../domain/arrival/receive-paths.ts'

export const ruleSubject = (ruleId: number): string => `rule:${ruleId}`
export const mailAccountSubject = (mailAccountId: number): string => `mail_account:${mailAccountId}`
export const bankAccountSubject = (bankAccountId: number): string => `bank_account:${bankAccountId}`
export const transactionSubject = (transactionId: number): string => `transaction:${transactionId}`
export const monthSubject = (month: string): string => `month:${month}`

export const isRule = (subject: string): boolean => subject.startsWith('rule:')

/** null if the alert is about something else. */
export const bankAccountIn = (subject: string): number | null => {
  const [, id] = /^bank_account:(\d+)$/.exec(subject) ?? []
  return id === undefined ? null : Number(id)
}

/** The names of the parts of a receive path in the API. */
const KINDS: Readonly<Record<string, string>> = { device: 'device', key: 'api_key', mailbox: 'mail_account' }

/** `device:7`, `api_key:8`, `mail_account:3` or `receive_url`: one alert about a source, however many texts it sends. */
export const sourceSubject = (path: ReceivePath): string => {
  const [kind = '', id] = path.split('-')
  return id === undefined ? 'receive_url' : `${KINDS[kind] ?? kind}:${id}`
}
