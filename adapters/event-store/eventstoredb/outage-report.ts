/** Reports an outage of the server once when it begins, and once when it has ended, however many calls and subscriptions fail. */

/** An outage has ended when the server has answered and nothing has failed for this long (milliseconds). */
const QUIET_MS = 1_000

/** An outage that has ended. */
export interface Outage {
  failures: number
  seconds: number
}

/** @param onFailure  called with the first failure · @param onRecovery  called when the server answers again */
export const openOutageReport = (onFailure: (error: unknown) => void, onRecovery: (outage: Outage) => void) => {
  let failures = 0
  let beganAt = 0
  let failedAt = 0
  let check: NodeJS.Timeout | undefined

  const failed = (error: unknown): void => {
    failedAt = performance.now()
    if (failures++ > 0) return
    beganAt = failedAt
    onFailure(error)
  }

  const answered = (): void => {
    if (failures === 0 || check) return
    const answeredAt = performance.now()
    check = setTimeout(() => {
      check = undefined
      if (failedAt > answeredAt) return
      const seconds = Number(((answeredAt - beganAt) / 1_000).toFixed(1))
      onRecovery({ failures, seconds })
      failures = 0
    }, QUIET_MS).unref()
  }

  const close = (): void => {
    clearTimeout(check)
  }

  return { failed, answered, close }
}

export type OutageReport = ReturnType<typeof openOutageReport>
