// Tests: tests/e2e/browser/dashboard.test.ts
/** Calls the API with the session's cookie. A failed call throws an `ApiError`, whose code is one of the API's, `OFFLINE` or `UNKNOWN_OUTCOME`. */

export interface Issue {
  path: string
  message: string
}

export class ApiError extends Error {
  override name = 'ApiError'
  readonly status: number
  readonly code: string
  readonly issues: readonly Issue[]
  /** Seconds that the server asks to wait; 0 if it does not. */
  readonly wait: number
  constructor(status: number, code: string, message: string, issues: readonly Issue[] = [], wait = 0) {
    super(message)
    this.status = status
    this.code = code
    this.issues = issues
    this.wait = wait
  }
}

/** The code of an answer that Baoco did not write, or not on purpose. */
export const UNEXPECTED = 'INTERNAL_ERROR'

/** The requested thing does not exist, or no longer exists. A proxy's 404 says nothing about that. */
export const isMissing = (error: unknown): boolean => error instanceof ApiError && error.code === 'NOT_FOUND'

/** For `catch`: an optional thing that is missing is null. */
export const nullIfMissing = (error: unknown): null => {
  if (isMissing(error)) return null
  throw error
}

type Query = Record<string, string | number | boolean | undefined | null>

/** @returns `?a=1`, without parameters that are undefined, null or empty */
export const queryText = (query: Query): string => {
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== null && value !== '')
  return given.length === 0
    ? ''
    : `?${new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString()}`
}

interface ErrorBody {
  error?: string
  message?: string
  issues?: Issue[]
}

/** @returns what the answer of a refused call says, from Baoco or from a proxy in between */
export const errorOf = async (response: Response): Promise<ApiError> => {
  const body = (await response.json().catch(() => ({}))) as ErrorBody
  const code = body.error ?? (response.status === 429 ? 'RATE_LIMITED' : UNEXPECTED)
  const wait = Number(response.headers.get('Retry-After')) || 0
  return new ApiError(response.status, code, body.message ?? response.statusText, body.issues, wait)
}

/** Milliseconds. A connection may be lost without a sign; a read is then tried on another one. */
const LONGEST_READ = 20_000
/** The test of a mailbox takes up to 20 s. */
const LONGEST_CHANGE = 60_000

/** @returns a signal for a call: the given one, or too long a wait */
const patience = (method: string, given: AbortSignal | undefined): AbortSignal => {
  const own = new AbortController()
  const isRead = method === 'GET'
  setTimeout(
    () => own.abort(new ApiError(0, isRead ? 'OFFLINE' : 'UNKNOWN_OUTCOME', 'no answer')),
    isRead ? LONGEST_READ : LONGEST_CHANGE,
  )
  const follow = (): void => own.abort(given?.reason)
  if (given?.aborted) follow()
  given?.addEventListener('abort', follow)
  return own.signal
}

/** A read is repeated by itself. Whether a change was made is not known. */
const unreachable =
  (method: string) =>
  (error: Error): never => {
    if (error.name === 'AbortError' || error instanceof ApiError) throw error
    throw new ApiError(0, method === 'GET' ? 'OFFLINE' : 'UNKNOWN_OUTCOME', error.message)
  }

let answered: (headers: Headers, method: string) => void = () => {}
/** @param act  called with the headers of each answer, and the method of its call */
export const whenAnswered = (act: typeof answered): void => void (answered = act)

/** @throws {ApiError} */
const call = async <Answer>(method: string, path: string, json?: unknown, signal?: AbortSignal): Promise<Answer> => {
  const request: RequestInit = { method, credentials: 'same-origin', signal: patience(method, signal) }
  if (json !== undefined)
    Object.assign(request, { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(json) })
  const response = await fetch(path, request).catch(unreachable(method))
  answered(response.headers, method)
  if (!response.ok) throw await errorOf(response)
  // The connection may break within the answer. Where somebody must log in to a network first, that network answers with a page.
  return (await response.json().catch(unreachable(method))) as Answer
}

interface Data<Value> {
  data: Value
}

export const get = <Answer>(path: string, query: Query = {}, signal?: AbortSignal): Promise<Answer> =>
  call<Answer>('GET', path + queryText(query), undefined, signal)
export const getData = async <Value>(path: string, query: Query = {}, signal?: AbortSignal): Promise<Value> =>
  (await get<Data<Value>>(path, query, signal)).data
export const post = <Answer = Done>(path: string, json?: unknown): Promise<Answer> => call<Answer>('POST', path, json)
export const postData = async <Value>(path: string, json?: unknown): Promise<Value> =>
  (await post<Data<Value>>(path, json)).data
export const putData = async <Value>(path: string, json: unknown): Promise<Value> =>
  (await call<Data<Value>>('PUT', path, json)).data
export const remove = <Answer = Done>(path: string): Promise<Answer> => call<Answer>('DELETE', path)

export interface Done {
  success: true
  message: string
}
