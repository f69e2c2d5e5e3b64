// Tests: tests/unit/domain/dedup/window-snapshot.test.ts
/** Columns of numbers as bytes, for snapshots. The order of their bytes is the machine's. */

export type Column = Float64Array | Int32Array

const bytesIn = ({ buffer, byteOffset, byteLength }: Column): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength)

/** A copy of all of them, one after the other. */
export const bytesOf = (columns: readonly Column[]): Uint8Array => {
  const bytes = new Uint8Array(columns.reduce((sum, { byteLength }) => sum + byteLength, 0))
  let at = 0
  for (const column of columns) {
    bytes.set(bytesIn(column), at)
    at += column.byteLength
  }
  return bytes
}

/** Fills columns one after the other from bytes. @returns the bytes that follow. @throws {RangeError} if there are too few */
export const fill = (columns: readonly Column[], bytes: Uint8Array): Uint8Array => {
  let at = 0
  for (const column of columns) {
    const end = at + column.byteLength
    if (end > bytes.length) throw new RangeError('the snapshot is too short')
    bytesIn(column).set(bytes.subarray(at, end))
    at = end
  }
  return bytes.subarray(at)
}
