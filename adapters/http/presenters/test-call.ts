/** The answer of the test operation (interface, section 4.3): 200 also when the call failed. */
import type { CallResult } from '../../../domain/ports.ts'

const isSuccess = (status: number): boolean => status >= 200 && status < 300

export const presentTest = ({ http_status, response_body, error, duration_ms }: CallResult) =>
  isSuccess(http_status)
    ? { success: true, http_code: http_status, response_time_ms: Math.round(duration_ms), response_body }
    : {
        success: false,
        http_code: http_status,
        error: http_status === 0 ? response_body || (error ?? 'no answer') : `The endpoint answered ${http_status}.`,
      }
