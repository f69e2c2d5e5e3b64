// Tests: tests/e2e/browser/dashboard.test.ts
/** A section that lists things of the owner, with one dialog in which a thing is added or changed. */
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { PartHeading } from './basics.tsx'
import { LoadedLines, type Asked } from './loaded.tsx'
import { Dialog } from './dialog.tsx'

interface Texts {
  title: string
  text: string
  add: string
  /** The title of the dialog for this thing. */
  change: (name: string) => string
  empty: string
}

interface Props<Thing> {
  part: 'shops' | 'mailboxes'
  texts: Texts
  of: Asked<readonly Thing[]>
  nameOf: (thing: Thing) => string
  line: (thing: Thing, edit: () => void) => ComponentChildren
  /** @param thing  null: a new one is added */
  form: (thing: Thing | null, close: () => void) => ComponentChildren
  isTight?: boolean
  /** Shown above the lines. */
  children?: ComponentChildren
}

export const EditableLines = <Thing,>({ part, texts, of, nameOf, line, form, isTight, children }: Props<Thing>) => {
  const [edited, edit] = useState<{ thing: Thing | null } | null>(null)
  const close = (): void => edit(null)
  return (
    <section class={isTight ? 'block stack tight' : 'block stack'}>
      <div class="row between">
        <PartHeading of={part} text={texts.title} />
        <button class="button" type="button" onClick={() => edit({ thing: null })}>
          {texts.add}
        </button>
      </div>
      <p>{texts.text}</p>
      {children}
      <LoadedLines of={of} empty={texts.empty}>
        {(thing) => line(thing, () => edit({ thing }))}
      </LoadedLines>
      <Dialog
        title={edited?.thing ? texts.change(nameOf(edited.thing)) : texts.add}
        isOpen={edited !== null}
        onClose={close}
      >
        {edited && form(edited.thing, close)}
      </Dialog>
    </section>
  )
}
