import type { Clock } from '../../domain/ports.ts'

/** The machine's clock. */
export const systemClock: Clock = { now: () => new Date() }
