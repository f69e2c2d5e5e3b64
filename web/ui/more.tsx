// Tests: tests/e2e/browser/dashboard.test.ts
/** The button that shows the next page of a list; nothing at the end of it. */

interface List {
  hasNextPage: boolean
  isFetchingNextPage: boolean
  fetchNextPage(): Promise<unknown>
}

export const More = ({ of: list, text }: { of: List; text: string }) =>
  list.hasNextPage ? (
    <div>
      <button class="button" type="button" disabled={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
        {text}
      </button>
    </div>
  ) : null
