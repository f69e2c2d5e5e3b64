// Tests: tests/e2e/browser/dashboard.test.ts
/** The personal URL with its QR code, and how each forwarder app is set up with it. */
import { useState } from 'preact/hooks'
import { useQuery } from '@tanstack/preact-query'
import { getData, nullIfMissing, postData, putData } from '../api/client.ts'
import type { ReceiveUrl } from '../api/types.ts'
import { texts } from '../app/language.ts'
import { isLoopback } from '../app/loopback.ts'
import { RECIPES, type Recipe } from '../app/recipes.ts'
import { useAction } from './action.ts'
import { ActionProblem, Copyable, PartHeading } from './basics.tsx'
import { Loaded } from './loaded.tsx'
import { Confirm } from './confirm.tsx'
import { SourceTest } from './source-test.tsx'
import { QrCode, SourceState, useSource } from './source-state.tsx'
import { Switch } from './switch.tsx'

const rotate = (): Promise<ReceiveUrl> => postData<ReceiveUrl>('/api/receive-url/rotate')

const Shown = ({ url }: { url: string }) => {
  const qr = useQuery({
    queryKey: ['sources', 'qr', url],
    queryFn: () => getData<{ qr_svg: string }>('/api/receive-url/qr'),
  })
  return (
    <>
      <Copyable text={url} />
      <Loaded of={qr}>{({ qr_svg }) => <QrCode svg={qr_svg} label={texts.value.sources.url.qr} />}</Loaded>
    </>
  )
}

const Steps = ({ of: { id, name, system, reads, query, template, sendsOnce }, url }: { of: Recipe; url: string }) => {
  const t = texts.value.sources.recipes
  return (
    <details name="recipe">
      <summary>
        {name || t.other}{' '}
        <span class="muted">
          {system && `${system}, `}
          {t.reads[reads]}
        </span>
      </summary>
      <div class="stack tight recipe">
        <ol class="steps">
          {t.steps[id]!.map((step) => (
            <li key={step}>{step}</li>
          ))}
          <li>{t.battery}</li>
          {sendsOnce && <li>{t.once}</li>}
        </ol>
        <h3>{t.url}</h3>
        <Copyable text={url + query} />
        {template && (
          <>
            <h3>{t.template}</h3>
            <Copyable text={template.replace('{personal_url}', url)} />
          </>
        )}
      </div>
    </details>
  )
}

const Recipes = ({ url }: { url: string }) => {
  const t = texts.value.sources.recipes
  return (
    <section class="block stack tight">
      <PartHeading of="recipes" text={t.title} />
      <p>{t.text}</p>
      <div>
        {RECIPES.map((each) => (
          <Steps key={each.id} of={each} url={url} />
        ))}
      </div>
      <p class="muted">{t.test}</p>
    </section>
  )
}

const Existing = ({ of, url }: { of: ReceiveUrl; url: string }) => {
  const t = texts.value.sources.url
  const [isShown, show] = useState(false)
  return (
    <>
      <SourceState of={of} />
      {isLoopback(url) && <p class="notice waiting">{t.loopback}</p>}
      {isShown && <Shown url={url} />}
      <div class="row">
        {!isShown && (
          <button class="button" type="button" onClick={() => show(true)}>
            {t.show}
          </button>
        )}
        <SourceTest name={t.name} path="/api/receive-url" />
        <Confirm
          button={t.rotate}
          title={t.rotateTitle}
          text={t.rotateText}
          act={rotate}
          stale={['sources']}
          done={t.rotated}
        />
      </div>
      <Switch
        label={t.titles}
        hint={t.titlesHint}
        isOn={of.trust_sms_app_titles}
        change={(trust_sms_app_titles) => putData('/api/receive-url', { trust_sms_app_titles })}
        stale={['sources']}
      />
    </>
  )
}

/** Null if an owner has ended it. */
export const usePersonalUrl = () => useSource<ReceiveUrl | null>('url', '/api/receive-url', nullIfMissing)

export const PersonalUrl = () => {
  const t = texts.value.sources.url
  const found = usePersonalUrl()
  const create = useAction(rotate, ['sources'])
  return (
    <>
      <section class="block stack tight">
        <h2>{t.title}</h2>
        <p>{t.text}</p>
        <ActionProblem error={create.error} />
        <Loaded of={found}>
          {(given) =>
            given?.url ? (
              <Existing of={given} url={given.url} />
            ) : (
              <>
                <p>{t.none}</p>
                <div>
                  <button
                    class="button main"
                    type="button"
                    disabled={create.isRunning}
                    onClick={() => void create.run()}
                  >
                    {t.create}
                  </button>
                </div>
              </>
            )
          }
        </Loaded>
      </section>
      {found.data?.url && <Recipes url={found.data.url} />}
    </>
  )
}
