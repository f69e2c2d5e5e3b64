/**
 * The two-year memory of credits (decisions, T5): by it a payment is known again long after the book has dropped it. Segments
 * hold packed marks (`mark.ts`), 16 bytes for each credit. When one is full the next begins, and the oldest is erased. A
 * stream of its own names the newest segment; it is small, and is kept.
 */
import { z } from 'zod'

const id = z.int().positive()
const segment = z.int().nonnegative()

/** How long a credit is remembered, seconds: two years. */
export const CREDITS_KEPT_S = 730 * 86_400

/** Credits of a segment, and segments of an account: together at most 1,000,000 credits. */
export const SEGMENT_CREDITS = 62_500
export const SEGMENTS = 16

/** Credits of one event: 64 KB. */
export const BLOCK_CREDITS = 4_096

export const creditEvents = {
  /** Credits of the account, oldest first. */
  CreditsRemembered: z.object({
    user_id: id,
    segment,
    /** Packed marks and transactions, base64: `mark.ts`. */
    credits: z.string(),
    /** Credits in the segment, these included. */
    total: z.int().positive(),
  }),
}

export const creditSegmentEvents = {
  /** The newest segment is this one now. */
  CreditSegmentBegun: z.object({ user_id: id, segment }),
}

export type CreditsRemembered = z.infer<typeof creditEvents.CreditsRemembered>
export type CreditSegmentBegun = z.infer<typeof creditSegmentEvents.CreditSegmentBegun>

/** Prefix of all segments, for their age. The stream that names the newest does not begin with it. */
export const CREDITS_PREFIX = 'credits-'

export const creditsStream = (userId: number, segment: number): string => `${CREDITS_PREFIX}${userId}-${segment}`
export const creditSegmentsStream = (userId: number): string => `credit-segments-${userId}`
