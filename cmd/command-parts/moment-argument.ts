/** Parses command-line arguments that are times. */
import { InvalidArgumentError } from 'commander'
import { z } from 'zod'
import { startOfDay } from '../../domain/time.ts'

const moment = z.iso.datetime({ offset: true })

/**
 * @param text  a Vietnamese day (`2026-11-20`), which means its first moment, or a time with its zone (`2026-11-20T08:30:00+07:00`)
 * @throws {InvalidArgumentError} reported as wrong usage
 */
export const pastMoment = (text: string, now = new Date()): Date => {
  const given = startOfDay(text) ?? (moment.safeParse(text).success ? new Date(text) : null)
  if (!given)
    throw new InvalidArgumentError(
      'expected a day such as 2026-11-20 (in Vietnam), or a time with its zone such as 2026-11-20T08:30:00+07:00',
    )
  if (given > now) throw new InvalidArgumentError('this time is in the future')
  return given
}
