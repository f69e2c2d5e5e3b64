// Tests: tests/e2e/browser/dashboard.test.ts
/** What a query brought, or why it brought nothing. */
import type { ComponentChildren } from 'preact'
import { isTemporary, queries } from '../app/session.ts'
import { useIsFirst } from '../app/shown-once.ts'
import { Loading, Problem, problemOf } from './basics.tsx'

export interface Asked<Value> {
  data: Value | undefined
  error: Error | null
  refetch: () => unknown
}

const tryAllAgain = (): Promise<void> =>
  queries.refetchQueries({ type: 'active', predicate: ({ state }) => isTemporary(state.error) })

/** @param instead  what is shown if the same is said elsewhere on the page */
const Temporary = ({ error, instead }: { error: Error; instead: ComponentChildren }) => {
  const isFirst = useIsFirst(problemOf(error))
  return isFirst ? <Problem error={error} retry={tryAllAgain} /> : <>{instead}</>
}

/** Without the server nothing can be asked for. The page says so once, and its button asks for all that failed. */
export const FailedRead = ({ of }: { of: Asked<unknown> }) => {
  if (!of.error) return null
  if (!isTemporary(of.error)) return <Problem error={of.error} retry={of.refetch} />
  return <Temporary error={of.error} instead={of.data === undefined && <Loading />} />
}

/** Draws what a query brought; before that "loading", and an error with a button. Old data stays visible beside an error. */
export const Loaded = <Value,>({
  of,
  children,
}: {
  of: Asked<Value>
  children: (value: Value) => ComponentChildren
}) => (
  <>
    <FailedRead of={of} />
    {of.data === undefined ? !of.error && <Loading /> : children(of.data)}
  </>
)

/** A list, or a sentence if it is empty. */
export const LoadedLines = <Value,>({
  of,
  empty,
  children,
}: {
  of: Asked<readonly Value[]>
  empty: string
  children: (each: Value) => ComponentChildren
}) => (
  <Loaded of={of}>
    {(all) => (all.length === 0 ? <p class="muted">{empty}</p> : <ul class="lines">{all.map(children)}</ul>)}
  </Loaded>
)
