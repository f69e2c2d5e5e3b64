// Tests: tests/unit/domain/credits/credits.test.ts
/**
 * The two-year memory of credits (decisions, T5). It recognises a payment long after the deduplication window has dropped it.
 * Segments hold packed marks (`mark.ts`) of 16 bytes per credit. When a segment is full, the next one begins and the oldest is
 * erased. A separate stream names the newest segment. It is small and never expires.
 */
import { z } from 'zod'
import { id } from '../fields.ts'

const segment = z.int().nonnegative()

/** How long a credit is remembered, in seconds: two years. */
export const CREDITS_KEPT_S = 730 * 86_400

/** Credits per segment, and segments per account: together at most 1,000,000 credits. */
export const SEGMENT_CREDITS = 62_500
export const SEGMENTS = 16

/** Credits per event: 64 KB. */
export const BLOCK_CREDITS = 4_096

export const creditEvents = {
  /** Credits of the account, oldest first. */
  CreditsRemembered: z.object({
    user_id: id,
    segment,
    /** Packed marks and transactions, base64: `mark.ts`. */
    credits: z.string(),
    /** Number of credits in the segment, including these. */
    total: z.int().positive(),
  }),
}

export const creditSegmentEvents = {
  /** This is now the newest segment. */
  CreditSegmentBegun: z.object({ user_id: id, segment }),
}

export type CreditsRemembered = z.infer<typeof creditEvents.CreditsRemembered>
export type CreditSegmentBegun = z.infer<typeof creditSegmentEvents.CreditSegmentBegun>

/** Prefix of all segments, used to expire them. The stream that names the newest segment does not begin with it. */
export const CREDITS_PREFIX = 'credits-'

export const creditsStream = (userId: number, segment: number): string => `${CREDITS_PREFIX}${userId}-${segment}`
export const creditSegmentsStream = (userId: number): string => `credit-segments-${userId}`
