// Tests: tests/integration/delivery/test-call.test.ts
/**
 * The test operation (section 4.3): sends the test payload to a rule's URL with the same sender. It does not count as
 * an attempt. With a sample, it sends a sample transaction in the rule's own format, marked as a test (decision "Test
 * with a sample").
 */
import type { Sender } from '../../domain/ports.ts'
import { SAMPLE } from '../../domain/webhook/payload/custom.ts'
import { render, type Format } from '../../domain/webhook/payload/render.ts'
import { testPayload } from '../../domain/webhook/payload/test.ts'
import { signedHeaders, type Signing } from '../../domain/webhook/signature.ts'

interface Answer {
  http_code: number
  response_time_ms: number
  response_body: string
}

export type TestResult =
  | ({ success: true } & Answer)
  | ({ success: false; error: string } & (Answer | { /** No response. */ http_code: 0 }))

export interface TestedRule extends Format {
  rule_id: number
  url: string
  http_method: 'POST' | 'PUT'
}

/**
 * @param secrets  gives the plain secrets that sign the call, for its Unix second
 * @param now  the time of the call
 */
export const sendTest = async (
  rule: TestedRule,
  secrets: (timestamp: number) => Pick<Signing, 'secret' | 'previous'>,
  sender: Sender,
  now: Date,
  { signal, isSample = false }: { signal: AbortSignal; isSample?: boolean },
): Promise<TestResult> => {
  const { rule_id, url, http_method: method } = rule
  const timestamp = Math.floor(now.getTime() / 1000)
  const body = isSample ? render(rule, SAMPLE, timestamp) : JSON.stringify(testPayload(timestamp))
  const webhookId = `test_${rule_id}_${timestamp}`
  const signed = signedHeaders({ ...secrets(timestamp), body, webhookId, timestamp, attempt: 1 })
  const headers = isSample ? { ...signed, 'x-webhook-event': 'test' } : signed
  const result = await sender.send({ method, url, headers, body }, signal)
  const { http_status: http_code, response_body, error } = result
  if (http_code === 0) return { success: false, http_code, error: response_body }
  const answer = { http_code, response_time_ms: Math.round(result.duration_ms), response_body }
  return error === null
    ? { success: true, ...answer }
    : { success: false, ...answer, error: `The endpoint answered ${http_code}.` }
}
