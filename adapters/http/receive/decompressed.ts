// Tests: tests/unit/adapters/http/receive/compressed.test.ts
/**
 * Decompresses a body. Gzip is recognized by its first two bytes, with or without `Content-Encoding`, because no text begins with them.
 * Deflate and Brotli need the header. The result counts as held bytes while it grows, so a small body cannot fill the memory.
 */
import { pipeline, Readable, type Duplex } from 'node:stream'
import { constants, createBrotliDecompress, createUnzip, type ZlibOptions } from 'node:zlib'

const CHUNK = 64 * 1024

export type OpenDecompressor = (options: ZlibOptions) => Duplex

/** @param encoding  the value of `Content-Encoding`; empty if there is none. @returns null if the body is not compressed */
export const decompressorOf = (bytes: Buffer, encoding: string): OpenDecompressor | null => {
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) return createUnzip
  if (encoding === '' || bytes.length === 0) return null
  if (/^\s*deflate\s*$/i.test(encoding)) return createUnzip
  return /^\s*br\s*$/i.test(encoding) ? ({ chunkSize }) => createBrotliDecompress({ chunkSize }) : null
}

export interface Decompressed {
  /** As much as could be decompressed. */
  bytes: Buffer
  /** `damaged`: the end is missing or broken. `too_large`: it exceeds the limit. */
  state: 'whole' | 'damaged' | 'too_large'
}

/** Counts bytes as held by the request. Returns false if they do not fit. */
type Hold = (bytes: number) => boolean

const run = async (from: Buffer, through: Duplex, limit: number, hold: Hold): Promise<Decompressed | 'overloaded'> => {
  const chunks: Buffer[] = []
  let size = 0
  let state: Decompressed['state'] = 'whole'
  try {
    for await (const chunk of pipeline(Readable.from([from]), through, () => {}) as AsyncIterable<Buffer>) {
      if (!hold(chunk.length)) return 'overloaded'
      chunks.push(chunk)
      size += chunk.length
      if (size <= limit) continue
      state = 'too_large'
      break
    }
  } catch {
    state = 'damaged'
  }
  return { bytes: Buffer.concat(chunks), state }
}

/**
 * @param open  the decompressor of the body
 * @param limit  most bytes of the result
 * @returns `overloaded` if the result does not fit into the memory for bodies
 */
export const decompressed = async (
  bytes: Buffer,
  open: OpenDecompressor,
  limit: number,
  hold: Hold,
): Promise<Decompressed | 'overloaded'> => {
  const result = await run(bytes, open({ chunkSize: CHUNK }), limit, hold)
  if (result === 'overloaded' || result.state !== 'damaged') return result
  // Once more for what precedes the damage: a flush at the end gives it without an error.
  const begun = await run(bytes, open({ chunkSize: CHUNK, finishFlush: constants.Z_SYNC_FLUSH }), limit, hold)
  return begun === 'overloaded' ? begun : { ...begun, state: 'damaged' }
}
