// Tests: tests/e2e/browser/long-lists.test.ts
/**
 * A list of any length. The API gives it in pages, and each page of it is a body of the table with a query of its own. Its cursor is the last
 * row of the page before, so no row can be in two pages or between them, whatever changes. Only pages near the visible part have rows and
 * are kept current. The others are as high as they were, and are requested again when they come near. So a change costs a few requests,
 * and a list of ten thousand rows has a few hundred in the page.
 *
 * Somebody who reads below the top is not disturbed: the list then begins at a cursor, with the row that was the newest, until they ask for
 * the newer ones or scroll up.
 */
import { queryOptions, useQuery } from '@tanstack/preact-query'
import type { VNode } from 'preact'
import { useEffect, useLayoutEffect, useReducer, useRef, useState } from 'preact/hooks'
import { get, queryText } from '../api/client.ts'
import type { TransactionPage as Rows } from '../api/types.ts'
import { bankSpelling } from '../app/bank-spelling.ts'
import { count } from '../app/localised.ts'
import { texts } from '../app/language.ts'
import { onLive } from '../app/live.ts'
import { queries } from '../app/session.ts'
import { Empty } from './basics.tsx'
import { FailedRead, Loaded, useReadError } from './loaded.tsx'
import { numberOfNewer, useIsAtTop } from './new-rows.ts'
import { NoTransactions, TransactionColumns, TransactionRow } from './transaction-table.tsx'

type Filter = Record<string, string | undefined>

/** Pages so far outside the visible part have rows already. */
const NEAR = '1200px 0px'
/** Pixels of a row, until a page was drawn once. */
const ROW = 44

const keyOf = (filter: Filter, cursor: string) => ['transactions', filter, cursor] as const
/** @param cursor  empty: the newest rows */
export const pageOf = (filter: Filter, cursor: string) =>
  queryOptions({
    queryKey: keyOf(filter, cursor),
    queryFn: ({ signal }) => get<Rows>('/api/transactions', { ...filter, cursor }, signal),
    // The stream tells what is stale. Scrolling does not ask again.
    staleTime: Infinity,
  })
const rowsOf = (filter: Filter, cursor: string) => queries.getQueryData<Rows>(keyOf(filter, cursor))?.data ?? []

/** Pixels of each page when it was drawn last. On the way back to a list, the browser finds the place that somebody left. */
const heights = new Map<string, number>()

/** Whether an element is in the visible part or near it. */
const useIsNear = (isFirst: boolean) => {
  const ref = useRef<HTMLTableSectionElement>(null)
  const [isNear, setNear] = useState(isFirst)
  useEffect(() => {
    const observer = new IntersectionObserver(
      (entries) => {
        // A row with the focus stays, or the focus would be lost.
        const hasFocus = ref.current?.contains(document.activeElement) ?? false
        setNear(entries.at(-1)!.isIntersecting || hasFocus)
      },
      { rootMargin: NEAR },
    )
    observer.observe(ref.current!)
    return () => observer.disconnect()
  }, [])
  return { ref, isNear }
}

interface PageProps {
  filter: Filter
  cursor: string
  /** The cursor of the page before. */
  before: string | undefined
  index: number
  /** Called when the cursor of the next page is known or has changed. */
  onNext: () => void
  onNear: (isNear: boolean) => void
}

const PageOfRows = ({ filter, cursor, before, index, onNext, onNear }: PageProps) => {
  const { ref, isNear } = useIsNear(index === 0)
  const name = JSON.stringify(keyOf(filter, cursor))
  const height = useRef(heights.get(name) ?? ROW)
  const found = useQuery({
    ...pageOf(filter, cursor),
    enabled: isNear,
    // Another row has become the last one of the page before. Until the answer is here, the rows stay.
    placeholderData: (previous) => previous,
  })
  const error = useReadError(found)
  const next = found.isPlaceholderData ? undefined : found.data?.next_cursor
  useEffect(onNext, [next])
  useEffect(() => onNear(isNear), [isNear])
  useLayoutEffect(() => {
    if (!isNear || !found.data) return
    height.current = ref.current!.offsetHeight
    heights.set(name, height.current)
  })
  if (isNear && found.data) {
    const above = found.isPlaceholderData && before !== undefined ? rowsOf(filter, before) : []
    const rows = found.data.data.filter(({ id }) => !above.some((each) => each.id === id))
    return (
      <tbody ref={ref}>
        {rows.map((row) => (
          <TransactionRow key={row.id} of={row} />
        ))}
      </tbody>
    )
  }
  return (
    <tbody ref={ref}>
      {isNear && error ? (
        <tr>
          <td colSpan={6}>
            <FailedRead of={found} />
          </td>
        </tr>
      ) : (
        <tr class="space" aria-hidden="true">
          <td colSpan={6} style={{ height: `${height.current}px` }} />
        </tr>
      )}
    </tbody>
  )
}

/**
 * Where the list begins. While somebody reads below the top, it is the row that was the newest then.
 * @param first  the newest rows
 */
const useStart = (filter: Filter, first: Rows | undefined, isAtTop: boolean): string => {
  const start = useRef('')
  if (isAtTop) start.current = ''
  else if (start.current === '' && first?.same_cursor) {
    start.current = first.same_cursor
    // The same rows. They are requested again, because the page may not have requested the latest changes yet.
    queries.setQueryData(keyOf(filter, start.current), first)
    void queries.invalidateQueries({ queryKey: keyOf(filter, start.current) })
  }
  return start.current
}

/**
 * The cursors of the pages, and of the one after those that are known. A page that is being requested keeps those that follow it.
 * @param start  that of the first page
 */
const useCursors = (filter: Filter, start: string): readonly string[] => {
  const last = useRef<string[]>([])
  const cursors = [start]
  for (;;) {
    const found = queries.getQueryData<Rows>(keyOf(filter, cursors.at(-1)!))
    if (!found) return (last.current = [...cursors, ...last.current.slice(cursors.length)])
    if (!found.next_cursor) return (last.current = cursors)
    cursors.push(found.next_cursor)
  }
}

/** Number of payments that have arrived since somebody left the top of the list. */
const useFresh = (isAtTop: boolean): number => {
  const [fresh, setFresh] = useState(0)
  useEffect(() => {
    if (isAtTop) return setFresh(0)
    return onLive(({ kind, what }) => {
      if (kind === 'transaction' && what === 'captured') setFresh((number) => number + 1)
    })
  }, [isAtTop])
  return fresh
}

/** The newest rows, as far as they are known. */
export const useFirstPage = (filter: Filter): Rows | undefined =>
  useQuery({ ...pageOf(filter, ''), enabled: false }).data

/** The button disappears, so the focus goes to the heading. */
const showNewest = (): void => {
  scrollTo({ top: 0 })
  document.querySelector<HTMLElement>('h1')?.focus()
}

export const TransactionList = ({ filter }: { filter: Filter }) => {
  const { transactions: t } = texts.value
  const [, draw] = useReducer<number, void>((drawn) => drawn + 1, 0)
  const [isTopNear, setTopNear] = useState(true)
  const isAtTop = useIsAtTop()
  const isFiltered = Object.keys(filter).length > 0
  const fresh = useFresh(isAtTop)
  const first = useQuery({ ...pageOf(filter, ''), enabled: isTopNear })
  const start = useStart(filter, first.data, isAtTop)
  const cursors = useCursors(filter, start)
  // The newest rows are requested only near the top. Which of the live messages the filter selects is not known.
  const newer = Math.max(numberOfNewer(first.data?.data ?? [], rowsOf(filter, start)[0]), isFiltered ? 0 : fresh)
  const drawn = useRef<VNode<PageProps>[]>([])
  // Preact skips what is the same element as before: when one page changes, the others are not drawn again.
  const pages = cursors.map((cursor, index) => {
    const [before, last] = [cursors[index - 1], drawn.current[index]]
    if (last?.props.cursor === cursor && last.props.before === before) return last
    const given = {
      filter,
      cursor,
      before,
      index,
      onNext: draw as () => void,
      onNear: index === 0 ? setTopNear : ignore,
    }
    return <PageOfRows key={index} {...given} />
  }) as VNode<PageProps>[]
  drawn.current = pages
  if (!first.data) return <Loaded of={first}>{ignore}</Loaded>
  if (first.data.data.length === 0) {
    if (!isFiltered) return <NoTransactions />
    const spelling = bankSpelling(filter.search ?? '')
    return (
      <Empty text={t.emptyFilter}>
        {spelling !== null && (
          <a class="button" href={`/transactions${queryText({ ...filter, search: spelling })}`}>
            {t.asBanksWrite(spelling)}
          </a>
        )}
      </Empty>
    )
  }
  const { total } = first.data
  return (
    <>
      <FailedRead of={first} />
      <div class="pill" role="status">
        {newer > 0 && (
          <button class="button main" type="button" onClick={showNewest}>
            ↑ {t.newest(count(newer), newer === 1)}
          </button>
        )}
      </div>
      <TransactionColumns caption={t.caption(count(total), total === 1)} total={total}>
        {pages}
      </TransactionColumns>
    </>
  )
}

const ignore = (): undefined => {}
