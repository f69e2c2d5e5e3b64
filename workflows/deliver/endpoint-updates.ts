// Tests: tests/unit/workflows/deliver/endpoints.test.ts
/** Updates about endpoints that workers exchange through the database. */

/** The findings about one endpoint from the calls since the last update. */
export interface EndpointUpdate {
  user_id: number
  endpoint: string
  /** One of the calls got a response: earlier failures no longer count. */
  answered: boolean
  /** Consecutive failures after the last response. */
  failures: number
  /** Some of the failed deliveries, as `transaction/rule`. */
  failing: string[]
  /** Seconds for which the endpoint asked for no calls (`Retry-After`). */
  wait: number | null
  /** A manual retry succeeded: an earlier `Retry-After` no longer counts. */
  byHand: boolean
}

export interface EndpointState {
  user_id: number
  endpoint: string
  /** This update opened its circuit breaker. */
  opened: boolean
  /** Whether no calls are made: its circuit breaker is open, or it asked for no calls. */
  held: boolean
}
