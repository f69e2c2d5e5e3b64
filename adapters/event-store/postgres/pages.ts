/**
 * Reads pages of the whole store. After a page that takes longer than the time limit, pages are half as large (in events, bytes and examined
 * positions), down to a single event. They grow again with each page that is read in time.
 */
import type { RecordedEvent } from '../../../domain/event.ts'
import type { Page } from './reading.ts'

/** The smallest page, as a share of a whole one. */
const SMALLEST = 2 ** -16

export type ReadPage<Event extends RecordedEvent> = (
  after: number,
  most: number,
  prefixes: readonly string[] | undefined,
  share: number,
) => Promise<Page<Event>>

export class Pages<Event extends RecordedEvent> {
  readonly #readPage: ReadPage<Event>
  readonly #isTooLong: (error: unknown) => boolean
  #share = 1

  constructor(readPage: ReadPage<Event>, isTooLong: (error: unknown) => boolean) {
    this.#readPage = readPage
    this.#isTooLong = isTooLong
  }

  /**
   * Events after a position, in order.
   * @param most  the largest number of events · @param prefixes  of streams; undefined means all streams
   */
  async read(after: number, most: number, prefixes?: readonly string[]): Promise<Page<Event>> {
    const share = this.#share
    try {
      const page = await this.#readPage(after, Math.max(1, Math.floor(most * share)), prefixes, share)
      if (share === this.#share) this.#share = Math.min(1, 2 * share)
      return page
    } catch (error) {
      if (share === this.#share && this.#isTooLong(error)) this.#share = Math.max(SMALLEST, share / 2)
      throw error
    }
  }
}
