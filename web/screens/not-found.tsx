// Tests: tests/e2e/browser/dashboard.test.ts
/** The page for an address that does not exist, or whose id names nothing. */
import { texts } from '../app/language.ts'
import { Heading } from '../ui/basics.tsx'

export const NotFound = () => {
  const { notFound } = texts.value.shell
  return (
    <div class="stack">
      <Heading title={notFound.title} />
      <p>{notFound.text}</p>
      <p>
        <a href="/">{notFound.back}</a>
      </p>
    </div>
  )
}
