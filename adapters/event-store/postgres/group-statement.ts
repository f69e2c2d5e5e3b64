// Tests: tests/contract/event-store/postgres.test.ts
/**
 * A group is sent in one function call. If every expectation holds, which is nearly always so, the function appends the whole
 * group. Otherwise it changes nothing, and the group is then sent unit by unit, so that each unit gets its own result.
 * Columns are sent as lines of text, which costs the least on both sides. Best of four runs, with 512 events of 0.5 KB per
 * group: as lines 98,000 events/s; as arrays (which escape every quote of the JSON) 78,000; as one JSON document (escaped,
 * parsed and unescaped) 64,000.
 */
import type { UnitResult } from '../../../domain/ports.ts'
import type { EncodedCall } from '../encoding.ts'
import type { Connection } from './connection.ts'
import { groupLines, stepsOf } from './encoding.ts'

type StepAnswer = { position: number } | { stream: string; revision: number }

/**
 * @param appended  called if the group was appended as a whole, with the position after which it was
 * @returns the results of each call's units
 */
export const sendGroup = async (
  connection: Connection,
  calls: readonly EncodedCall[],
  appended: (before: number) => void,
): Promise<UnitResult[][]> => {
  const lines = groupLines(calls)
  if (lines) {
    const [row] = await connection.query('store_append', 'SELECT store.append($1,$2,$3,$4,$5,$6,$7,$8)', lines)
    if (row && row.append !== null) {
      const before = row.append as number
      appended(before)
      return wholeGroup(calls, before)
    }
  }
  const [row] = await connection.query('store_append_one_by_one', 'SELECT store.append_one_by_one($1)', [
    stepsOf(calls),
  ])
  return (row!.append_one_by_one as StepAnswer[][]).map((answers) => answers.map(unitResult))
}

const unitResult = (answer: StepAnswer): UnitResult =>
  'position' in answer
    ? { ok: true, checkpoint: String(answer.position) }
    : { ok: false, conflict: { stream: answer.stream, revision: answer.revision } }

/**
 * The results of a group that was appended as a whole. Positions have no gaps, so each unit's last position can be counted.
 */
const wholeGroup = (calls: readonly EncodedCall[], before: number): UnitResult[][] => {
  let position = before
  return calls.map(({ units }) =>
    units.map((unit) => {
      for (const { events } of unit) position += events.length
      return { ok: true, checkpoint: String(position) }
    }),
  )
}
