// Tests: tests/unit/adapters/http/receive/forwarders.test.ts
/**
 * Bodies of known apps that give one field under two names by design. The apps write these bodies themselves, with escaping, so two
 * different values do not suggest an injected field (decisions, "Trust", T2). A body matches an entry only if its keys are exactly the keys
 * of that entry. Bodies that users write as templates, such as those of MacroDroid and Tasker, do not belong here.
 */
import type { Members } from './members.ts'

export interface KnownBody {
  app: string
  /** The body's keys, as plain names. */
  keys: readonly string[]
  /** For a field with several names in this body: the names that count. */
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
    // As in other bodies, `bigText` replaces `text` only if it continues or repeats it.
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

/** The known app whose body has exactly these members; null for any other body. */
export const knownBodyOf = (members: Members): KnownBody | null =>
  KNOWN_BODIES.find(({ keys }) => keys.length === members.size && keys.every((key) => members.has(key))) ?? null
