// Tests: tests/integration/reactors/reactors.test.ts
/** A reactor: an event causes further work, on its own stream or on another one. */
import type { Handlers } from '../../domain/catalogue.ts'

/**
 * `nothing` if there was nothing to do, as for most events: then the position need not be saved at once. It comes without a promise if no
 * server was asked, so that such an event costs almost nothing.
 */
export type Answered = 'nothing' | Promise<'nothing' | void>

/** What it does for an event. It may receive the same event again at any time, and then has nothing left to do. */
export type Answers = Handlers<Answered>

export interface Reactor {
  name: string
  /** Prefixes of the streams whose events it waits for. */
  prefixes: readonly string[]
  answers: Answers
}

export const reactor = (name: string, prefixes: readonly string[], answers: Answers): Reactor => ({
  name,
  prefixes,
  answers,
})
