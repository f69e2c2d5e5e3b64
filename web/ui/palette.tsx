// Tests: tests/e2e/browser/dashboard.test.ts
/** Finds a page, a webhook or a transaction by a few letters. The arrow keys choose, Enter opens. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { useLocation } from 'preact-iso/router'
import { useQuery } from '@tanstack/preact-query'
import { get, queryText } from '../api/client.ts'
import type { ListedTransaction, Page } from '../api/types.ts'
import { signedMoney } from '../app/localised.ts'
import { texts } from '../app/language.ts'
import { leaving } from '../app/leave.ts'
import { plainLetters } from '../app/plain-letters.ts'
import { problemOf } from '../app/problem.ts'
import { useSettled } from '../app/settled.ts'
import { Field, Status, Stranger } from './basics.tsx'
import { Dialog } from './dialog.tsx'
import { useRules } from './rules.tsx'

interface Found {
  path: string
  kind: 'page' | 'webhook' | 'transaction' | 'search'
  text: string
  of?: ListedTransaction
}

const MOST = 6
const SHORTEST = 2

const useTransactions = (search: string) =>
  useQuery({
    queryKey: ['transactions', 'palette', search],
    queryFn: ({ signal }) => get<Page<ListedTransaction>>('/api/transactions', { search }, signal),
    enabled: search.length >= SHORTEST,
    placeholderData: (previous) => previous,
  })

/** @param pages  path and name of each page @returns `isOld`: the transactions are those of an earlier text */
const useFound = (wanted: string, pages: readonly (readonly [path: string, name: string])[]) => {
  const search = useSettled(wanted)
  const rules = useRules()
  const transactions = useTransactions(search)
  const letters = plainLetters(wanted)
  const fits = (text: string): boolean => plainLetters(text).includes(letters)
  const found: Found[] = pages.filter(([, name]) => fits(name)).map(([path, text]) => ({ path, kind: 'page', text }))
  if (wanted.length < SHORTEST) return { found, error: null, isSearching: false, isOld: false }
  for (const { id, name } of (rules.data ?? []).filter((rule) => fits(rule.name)).slice(0, MOST))
    found.push({ path: `/webhooks/${id}`, kind: 'webhook', text: name })
  for (const of of transactions.data?.data.slice(0, MOST) ?? [])
    found.push({ path: `/transactions/${of.id}`, kind: 'transaction', text: of.order_id ?? String(of.id), of })
  found.push({ path: `/transactions${queryText({ search: wanted })}`, kind: 'search', text: wanted })
  const isOld = search !== wanted || transactions.isPlaceholderData
  return { found, error: transactions.error, isSearching: isOld || transactions.isFetching, isOld }
}

const Option = ({ of, isChosen, id, open }: { of: Found; isChosen: boolean; id: string; open: () => void }) => {
  const t = texts.value.shell.palette
  const { text, kind, of: transaction } = of
  return (
    <li role="option" id={id} aria-selected={isChosen} onClick={open}>
      <span>
        <Stranger text={kind === 'search' ? t.all(text) : text} />
        {transaction && (
          <span class="muted">
            {' '}
            {signedMoney(transaction)}
            {transaction.counterpart_name && ', '}
            {transaction.counterpart_name && <Stranger text={transaction.counterpart_name} />}
          </span>
        )}
      </span>
      {transaction ? <Status of={transaction.webhook_status} /> : <span class="muted">{t.kinds[kind]}</span>}
    </li>
  )
}

const Search = ({ close, pages }: { close: () => void; pages: readonly (readonly [string, string])[] }) => {
  const t = texts.value.shell.palette
  const { route } = useLocation()
  const input = useRef<HTMLInputElement>(null)
  const [wanted, want] = useState('')
  const [chosen, choose] = useState(0)
  const [isEntered, enter] = useState(false)
  const { found, error, isSearching, isOld } = useFound(wanted.trim(), pages)
  const current = Math.min(chosen, found.length - 1)
  const open = ({ path }: Found): void => {
    close()
    leaving(() => route(path))
  }
  useEffect(() => input.current?.focus(), [])
  useEffect(() => {
    if (isEntered && !isOld && found[current]) open(found[current])
  }, [isEntered, isOld])
  useEffect(() => document.getElementById(`found-${current}`)?.scrollIntoView({ block: 'nearest' }), [current])
  const press = (event: KeyboardEvent): void => {
    // The key ends a word that an input method, such as Telex, composes.
    if (event.isComposing) return
    const steps: Record<string, number> = { ArrowDown: 1, ArrowUp: -1 }
    const step = steps[event.key]
    if (step !== undefined && found.length > 0) {
      event.preventDefault()
      choose((current + step + found.length) % found.length)
      enter(false)
    }
    if (event.key === 'Enter' && found[current]) {
      event.preventDefault()
      // Nobody has chosen a transaction that an earlier text has found.
      if (isOld && chosen === 0 && found[current].kind === 'transaction') enter(true)
      else open(found[current])
    }
  }
  return (
    <>
      <Field label={t.label} hint={t.hint}>
        {(attributes) => (
          <input
            {...attributes}
            ref={input}
            // Escape would only empty a field for searches.
            type="text"
            inputMode="search"
            role="combobox"
            aria-expanded={found.length > 0}
            aria-controls="found"
            aria-autocomplete="list"
            aria-activedescendant={found.length > 0 ? `found-${current}` : undefined}
            autoComplete="off"
            value={wanted}
            onInput={(event) => {
              want(event.currentTarget.value)
              choose(0)
              enter(false)
            }}
            onKeyDown={press}
          />
        )}
      </Field>
      {error ? (
        <p class="notice failed" role="alert">
          {problemOf(error)}
        </p>
      ) : null}
      <ul class="found" id="found" role="listbox" aria-label={t.title}>
        {found.map((each, index) => (
          <Option
            key={each.path}
            of={each}
            id={`found-${index}`}
            isChosen={index === current}
            open={() => open(each)}
          />
        ))}
      </ul>
      <p class="muted" role="status">
        {isSearching ? texts.value.common.loading : found.length === 0 ? t.none : ''}
      </p>
    </>
  )
}

export const Palette = ({
  isOpen,
  close,
  pages,
}: {
  isOpen: boolean
  close: () => void
  pages: readonly (readonly [string, string])[]
}) => (
  <Dialog title={texts.value.shell.palette.title} isOpen={isOpen} onClose={close}>
    <Search close={close} pages={pages} />
  </Dialog>
)
