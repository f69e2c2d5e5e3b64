// Tests: tests/integration/http/lists.test.ts
/**
 * Cursors: the position where a page ended and the next one begins. A cursor is opaque to the client, and signed, so that only positions
 * that we issued are accepted. It belongs to one user and one list.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { invalid } from '../../../domain/account/refusals.ts'

/** The last row of a page. */
export interface CursorPosition {
  /** ISO 8601. */
  created_at: string
  id: number
}

export interface Cursors {
  /** @param list  identifies the list and its owner */
  write(list: string, position: CursorPosition): string
  /** @throws {Refused} VALIDATION_FAILED if the text is not a cursor of this list */
  read(list: string, cursor: string): CursorPosition
  /** For lists with another kind of position: two integers. */
  writePair(list: string, position: Pair): string
  /** @throws {Refused} VALIDATION_FAILED if the text is not a cursor of this list */
  readPair(list: string, cursor: string): Pair
}

export type Pair = readonly [number, number]

const MAC_BYTES = 12

/** @param secret  the installation's secret, the same in every process */
export const openCursors = (secret: string): Cursors => {
  const key = createHmac('sha256', secret).update('cursors').digest()
  const macOf = (list: string, payload: Buffer): Buffer =>
    createHmac('sha256', key).update(`${list}\n`).update(payload).digest().subarray(0, MAC_BYTES)

  const writePair = (list: string, position: Pair): string => {
    const payload = Buffer.from(position.join('.'))
    return Buffer.concat([macOf(list, payload), payload]).toString('base64url')
  }

  const readPair = (list: string, cursor: string): Pair => {
    const bytes = Buffer.from(cursor, 'base64url')
    const mac = bytes.subarray(0, MAC_BYTES)
    const payload = bytes.subarray(MAC_BYTES)
    const isOurs =
      bytes.toString('base64url') === cursor && mac.length === MAC_BYTES && timingSafeEqual(mac, macOf(list, payload))
    if (!isOurs) throw invalid({ path: 'cursor', message: 'The cursor does not belong to this list.' })
    const [first = 0, second = 0] = payload.toString().split('.').map(Number)
    return [first, second]
  }

  return {
    writePair,
    readPair,
    write: (list, { created_at, id }) => writePair(list, [Date.parse(created_at), id]),
    read: (list, cursor) => {
      const [at, id] = readPair(list, cursor)
      return { created_at: new Date(at).toISOString(), id }
    },
  }
}
