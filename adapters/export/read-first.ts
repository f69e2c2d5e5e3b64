// Tests: tests/integration/http/export.test.ts
/** Reads the first item now, so that a failure to read it is known before anything is sent. */
export const readFirst = async <Item>(items: AsyncGenerator<Item, void, undefined>): Promise<AsyncGenerator<Item>> => {
  const first = await items.next()
  return (async function* () {
    try {
      if (first.done) return
      yield first.value
      yield* items
    } finally {
      await items.return()
    }
  })()
}
