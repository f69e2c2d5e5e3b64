// Tests: tests/e2e/browser/dashboard.test.ts
/** The text of a notification, with the parts marked that were read from it. */
import type { Transaction } from '../api/types.ts'
import { texts } from '../app/language.ts'
import { markedPieces } from '../app/marked-pieces.ts'
import { Stranger } from './basics.tsx'

/** @param read  what was read from the text */
export const Marked = ({ text, read }: { text: string; read: Parameters<typeof markedPieces>[1] }) => (
  <pre tabIndex={0}>
    {markedPieces(text, read).map(({ text: piece, isRead }, index) =>
      isRead ? (
        <mark key={index}>
          <Stranger text={piece} />
        </mark>
      ) : (
        <Stranger key={index} text={piece} />
      ),
    )}
  </pre>
)

export const MarkedText = ({ of }: { of: Transaction }) => {
  const { text } = texts.value.transaction
  return (
    <>
      <Marked text={of.description ?? ''} read={of} />
      <p class="muted">{text.legend}</p>
      {of.raw_data && (
        <details>
          <summary>{text.raw}</summary>
          <pre tabIndex={0}>
            <Stranger text={of.raw_data} />
          </pre>
        </details>
      )}
    </>
  )
}
