/**
 * A text file's lines, one after the other, without their line breaks. Only a line feed ends a line: `readline` takes the separators
 * U+2028 and U+2029 for one too, which JSON leaves as they are.
 */
import { createReadStream } from 'node:fs'

/** UTF-8. @throws what opening or reading throws */
export async function* linesOfFile(path: string): AsyncGenerator<string, void, undefined> {
  let rest = ''
  for await (const chunk of createReadStream(path, { encoding: 'utf8', highWaterMark: 1_048_576 })) {
    const lines = (rest + (chunk as string)).split('\n')
    rest = lines.pop()!
    yield* lines
  }
  if (rest !== '') yield rest
}
