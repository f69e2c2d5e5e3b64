/**
 * Bodies of known apps that give one field under two names by design. The apps write these bodies themselves, with escaping, so two values
 * that differ are no sign of a text that named a field (decisions, "Trust", T2). A body is one of these only where its keys are exactly
 * those of a row. Bodies that users write as templates, such as those of MacroDroid and Tasker, do not belong here.
 */
import type { Members } from './members.ts'

export interface KnownBody {
  app: string
  /** Its keys, as plain names. */
  keys: readonly string[]
  /** The names that count for a field, where others of the body say something else. */
  counts: { text?: readonly string[]; sender?: readonly string[] }
}

const KNOWN_BODIES: readonly KnownBody[] = [
  {
    // `sender` is the address; `contact` is the name in the address book.
    app: 'ForwardSMS',
    keys: ['timestamp', 'content', 'sender', 'contact'],
    counts: { sender: ['sender'] },
  },
  {
    // `bigText` replaces `text` only where it continues or repeats it, as elsewhere.
    app: 'listener app, text',
    keys: ['packagename', 'title', 'text', 'bigtext', 'subtext', 'posttime', 'id'],
    counts: { text: ['text'] },
  },
  {
    app: 'listener app, content',
    keys: ['packagename', 'title', 'content', 'bigtext', 'subtext', 'posttime', 'id'],
    counts: { text: ['content'] },
  },
]

/** The known app whose own body has exactly these members; null for any other body. */
export const knownBodyOf = (members: Members): KnownBody | null =>
  KNOWN_BODIES.find(({ keys }) => keys.length === members.size && keys.every((key) => members.has(key))) ?? null
