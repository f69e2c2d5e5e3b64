// Tests: tests/integration/reactors/reactors.test.ts
/** A reactor: an event causes further work, on its own stream or on another one. */
import type { Handlers } from '../../domain/catalogue.ts'

/** `nothing` where there was nothing to do, as with most events: then the position need not be saved at once. */
export type Answered = Promise<'nothing' | void>

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
