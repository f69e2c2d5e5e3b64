// Tests: tests/e2e/browser/dashboard.test.ts
/** Opens the palette: by Ctrl-K, by "/" outside of fields, or by a button. It is loaded when it is first opened. */
import { signal } from '@preact/signals'
import type { FunctionComponent } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { PATHS, type Screen } from '../paths.ts'
import { texts } from '../app/language.ts'
import { mayRenew } from '../app/missing-file.ts'

type Named = Screen & keyof (typeof texts.value)['shell']['nav']
type Palette = FunctionComponent<{
  isOpen: boolean
  close: () => void
  pages: readonly (readonly [string, string])[]
}>

const isOpen = signal(false)
const find = (): void => void (isOpen.value = true)

const isField = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName))

const listen = (event: KeyboardEvent): void => {
  const isCtrlK = (event.ctrlKey || event.metaKey) && !event.altKey && event.key.toLowerCase() === 'k'
  const isSlash = event.key === '/' && !event.ctrlKey && !event.metaKey && !event.altKey && !isField(event.target)
  if (!isCtrlK && !isSlash) return
  event.preventDefault()
  if (!document.querySelector('dialog[open]')) find()
}

export const FindButton = () => {
  const { palette } = texts.value.shell
  return (
    <button class="find" type="button" onClick={find} aria-keyshortcuts="Control+K">
      <span>{palette.button}</span> <kbd>Ctrl K</kbd>
    </button>
  )
}

/** @param screens  those that this account has */
export const Find = ({ screens }: { screens: readonly Named[] }) => {
  const [loaded, setLoaded] = useState<{ Palette: Palette } | null>(null)
  const { nav } = texts.value.shell
  useEffect(() => {
    addEventListener('keydown', listen)
    return () => removeEventListener('keydown', listen)
  }, [])
  useEffect(() => {
    if (isOpen.value && !loaded)
      void import('../ui/palette.tsx').then(setLoaded, async () => {
        isOpen.value = false
        if (await mayRenew()) location.reload()
      })
  }, [isOpen.value])
  if (!loaded) return null
  const { Palette } = loaded
  return (
    <Palette
      isOpen={isOpen.value}
      close={() => (isOpen.value = false)}
      pages={screens.map((each) => [PATHS[each], nav[each]] as const)}
    />
  )
}
