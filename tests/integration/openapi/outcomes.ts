/** Compares an operation's declared credentials with an answer: null if it is as expected. */
import type { Located } from '../../harness/openapi/document.ts'
import type { Got } from './world.ts'

export const isProtected = (operation: Located) => operation.security.length > 0

export const codesOf = (operation: Located, status: string): string =>
  JSON.stringify(operation.responses[status]?.content?.['application/json']?.schema ?? {})

export const isRefused = ({ status, headers, body }: Got): string | null =>
  status === 401 && body.error === 'UNAUTHORIZED' && headers['www-authenticate'] !== undefined ? null : `${status}`

export const lacksScope = ({ status, body }: Got): string | null =>
  status === 403 && body.error === 'SCOPE_MISSING' ? null : `${status} ${JSON.stringify(body)}`

export const isDone = ({ status, body }: Got): string | null =>
  status >= 200 && status < 300 ? null : `${status} ${JSON.stringify(body)}`
