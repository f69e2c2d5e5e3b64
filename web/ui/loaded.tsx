// Tests: tests/e2e/browser/dashboard.test.ts
/** The result of a query, or why there is none. */
import type { ComponentChildren } from 'preact'
import { useRef } from 'preact/hooks'
import { problemOf } from '../app/problem.ts'
import { isTemporary, queries } from '../app/session.ts'
import { useIsFirst } from '../app/shown-once.ts'
import { Loading, Problem } from './basics.tsx'

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

/** A query without data forgets its error while it is repeated. The message stays until an answer arrives. */
export const useReadError = ({ data, error }: Asked<unknown>): Error | null => {
  const last = useRef<Error | null>(null)
  if (error || data !== undefined || !isTemporary(last.current)) last.current = error
  return last.current
}

const Failure = ({ of, error }: { of: Asked<unknown>; error: Error | null }) => {
  if (!error) return null
  if (!isTemporary(error)) return <Problem error={error} retry={of.refetch} />
  return <Temporary error={error} instead={of.data === undefined && <Loading />} />
}

/** Without the server nothing can be loaded. The page says so once, and its button repeats every request that failed. */
export const FailedRead = ({ of }: { of: Asked<unknown> }) => <Failure of={of} error={useReadError(of)} />

/** Draws what a query brought; before that "loading", and an error with a button. Old data stays visible beside an error. */
export const Loaded = <Value,>({
  of,
  children,
}: {
  of: Asked<Value>
  children: (value: Value) => ComponentChildren
}) => {
  const error = useReadError(of)
  return (
    <>
      <Failure of={of} error={error} />
      {of.data === undefined ? !error && <Loading /> : children(of.data)}
    </>
  )
}

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
