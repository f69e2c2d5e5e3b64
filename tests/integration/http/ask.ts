/** Requests of tests to the API. */
import { once } from 'node:events'
import { connect } from 'node:net'
import { answerCheck, type OpenApiDocument } from '../../harness/openapi/document.ts'

export interface Answer {
  status: number
  headers: Headers
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into answers of every shape
  body: any
}

export interface Ask {
  key?: string
  json?: unknown
  body?: string | Buffer | FormData
  headers?: Record<string, string>
  /** The answer is not checked against the document, because the test causes a fault. */
  undocumented?: true
}

export type AskApi = (method: string, path: string, ask?: Ask) => Promise<Answer>

/** Every answer in every test is checked against the document, which is the same for all tests. */
let checkAnswer: ReturnType<typeof answerCheck> | undefined

/** @param url  of the API */
export const asking =
  (url: string): AskApi =>
  async (method, path, { key, json, body, headers = {}, undocumented } = {}) => {
    const response = await fetch(url + path, {
      method,
      headers: {
        ...(key === undefined ? {} : { 'x-api-key': key }),
        ...(json === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(json === undefined ? (body === undefined ? {} : { body }) : { body: JSON.stringify(json) }),
    })
    const text = await response.text()
    const contentType = response.headers.get('content-type')
    const answered = contentType?.includes('json') && text ? JSON.parse(text) : text
    checkAnswer ??= answerCheck((await (await fetch(`${url}/api/openapi.json`)).json()) as OpenApiDocument)
    if (!undocumented) checkAnswer({ method, path, status: response.status, contentType, body: answered })
    return { status: response.status, headers: response.headers, body: answered }
  }

/** A raw exchange, for requests that no HTTP client would send. */
export const exchange = async (url: string, request: string | Buffer): Promise<string> => {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  let answer = ''
  socket.setEncoding('utf8').on('data', (chunk: string) => (answer += chunk))
  socket.end(request)
  await once(socket, 'close')
  return answer
}
