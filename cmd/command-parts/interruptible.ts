// Tests: tests/integration/account-commands.test.ts
/** For commands that may be ended at any moment, and that must run again then. */

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** A signal ends the process at once, with its usual exit status. @param advice  is printed: what was interrupted, and what to do */
export const interruptible = async <Result>(advice: string, work: () => Promise<Result>): Promise<Result> => {
  const interrupted = (_name: NodeJS.Signals, signal: number): never => {
    console.error(`baoco: ${advice}`)
    process.exit(128 + signal)
  }
  for (const name of SIGNALS) process.once(name, interrupted)
  try {
    return await work()
  } finally {
    for (const name of SIGNALS) process.off(name, interrupted)
  }
}
