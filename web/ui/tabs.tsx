// Tests: tests/e2e/browser/dashboard.test.ts
/** Links between the views of one screen. */

interface Tab {
  text: string
  href: string
  isCurrent: boolean
}

/** @param label  the name of all views together */
export const Tabs = ({ label, of }: { label: string; of: readonly Tab[] }) => (
  <nav class="tabs" aria-label={label}>
    {of.map(({ text, href, isCurrent }) => (
      <a key={href} href={href} aria-current={isCurrent ? 'true' : undefined}>
        {text}
      </a>
    ))}
  </nav>
)
