// Tests: tests/e2e/browser/dashboard.test.ts
/** Where bank texts come from: the personal URL, phones, mailboxes; and whether each of them is alive. */
import { texts } from '../app/language.ts'
import { After } from '../ui/after.tsx'
import { Heading } from '../ui/basics.tsx'
import { Mailboxes, useMailboxes } from '../ui/mailboxes.tsx'
import { PersonalUrl, usePersonalUrl } from '../ui/personal-url.tsx'
import { Phones, useDevices } from '../ui/phones.tsx'

export const Sources = () => {
  const { sources: t } = texts.value
  const above = [usePersonalUrl(), useDevices(), useMailboxes()]
  return (
    <>
      <Heading title={t.title} />
      <div class="stack">
        <p>{t.lead}</p>
        <div class="columns">
          <div class="stack wide">
            <PersonalUrl />
          </div>
          <div class="stack wide">
            <After of={above}>
              <Phones />
              <Mailboxes />
            </After>
          </div>
        </div>
      </div>
    </>
  )
}
