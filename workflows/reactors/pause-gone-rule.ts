// Tests: tests/integration/reactors/reactors.test.ts
/**
 * Pauses a rule whose endpoint answers 410, until its owner activates it again. Such an endpoint is gone permanently. A
 * change that the owner made after that answer is kept. An answer that was processed before has no effect, nor has one of
 * a url that the rule no longer has.
 */
import type { KnownEvent } from '../../domain/catalogue.ts'
import { accountEvents, accountStream } from '../../domain/account/events.ts'
import { evolve, NO_RULES, pauseGone } from '../../domain/account/gone-rules.ts'
import type { Clock, EventStore } from '../../domain/ports.ts'
import { execute } from '../support/execute.ts'
import { foldCache } from '../support/fold-cache.ts'
import { causedBy } from '../support/stamp.ts'
import { reactor, type Reactor } from './reactor.ts'

/** Accounts whose rules are kept in memory: one whose endpoint is gone often has many deliveries to it. */
const REMEMBERED = 100

/** The url of the call that ended a delivery as gone. Null if its transaction was erased. */
const calledUrl = async (
  store: EventStore,
  { stream, revision, data: { rule_id } }: KnownEvent<'DeliveryEnded'>,
): Promise<string | null> => {
  const [events = []] = await store.read([{ stream }])
  const calls = events.filter(
    (event) => event.type === 'WebhookAttempted' && event.data.rule_id === rule_id && event.revision < revision,
  )
  const last = calls.at(-1)
  return last?.type === 'WebhookAttempted' ? last.data.url : null
}

export const pauseGoneRule = (store: EventStore, clock: Clock): Reactor => {
  const cache = foldCache(
    { stream: (user) => accountStream(Number(user)), events: accountEvents, initial: NO_RULES, evolve },
    REMEMBERED,
  )
  return reactor('pause_gone_rule', ['transaction-'], {
    DeliveryEnded: async (event) => {
      const { rule_id, reason } = event.data
      const { user_id, at } = event.metadata
      if (reason !== 'gone' || user_id === null) return
      const url = await calledUrl(store, event)
      const occasion = { user_id, at: clock.now(), ...causedBy(event) }
      await execute(store, cache, String(user_id), occasion, ({ state }) =>
        pauseGone(state, { user_id, rule_id, id: event.id, at, url }),
      )
    },
  })
}
