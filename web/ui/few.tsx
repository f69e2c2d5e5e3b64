// Tests: tests/e2e/browser/dashboard.test.ts
/** A list that may be long shows its first lines, and a button for the rest. */
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { count } from '../app/localised.ts'

/**
 * @param few  the number of lines that are shown first @param more  the text of the button
 * @param isShown  whether a line is shown in any case
 */
export const useFew = <Value,>(
  all: readonly Value[] | undefined,
  few: number,
  more: (count: string) => string,
  isShown: (each: Value) => boolean = () => false,
): { data: readonly Value[] | undefined; rest: ComponentChildren } => {
  const [isWhole, showAll] = useState(false)
  const data = isWhole ? all : all?.filter((each, index) => index < few || isShown(each))
  const hidden = (all?.length ?? 0) - (data?.length ?? 0)
  const rest = hidden > 0 && (
    <div>
      <button class="button" type="button" onClick={() => showAll(true)}>
        {more(count(hidden))}
      </button>
    </div>
  )
  return { data, rest }
}
