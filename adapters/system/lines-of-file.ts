// Tests: tests/integration/store-migration/commands.test.ts
/**
 * The lines of a text file, one after the other, without line breaks. Only a line feed ends a line. `readline` would also
 * split at the separators U+2028 and U+2029, which JSON leaves unescaped.
 */
import { createReadStream } from 'node:fs'

/** UTF-8. @throws any error of opening or reading the file */
export async function* linesOfFile(path: string): AsyncGenerator<string, void, undefined> {
  let rest = ''
  for await (const chunk of createReadStream(path, { encoding: 'utf8', highWaterMark: 1_048_576 })) {
    const lines = (rest + (chunk as string)).split('\n')
    rest = lines.pop()!
    yield* lines
  }
  if (rest !== '') yield rest
}
