// Tests: tests/e2e/browser/dashboard.test.ts
/** Paired phones, and the pairing of another one by a QR code that counts down. */
import { useEffect, useState } from 'preact/hooks'
import { postData, putData, remove } from '../api/client.ts'
import type { Device, Invitation } from '../api/types.ts'
import { texts } from '../app/language.ts'
import { now } from '../app/present.ts'
import { valuesOf } from '../app/submitted-values.ts'
import { useAction } from './action.ts'
import { ActionProblem, Copyable, PartHeading, Stranger, TextField } from './basics.tsx'
import { LoadedLines } from './loaded.tsx'
import { Dialog } from './dialog.tsx'
import { Confirm } from './confirm.tsx'
import { SourceTest } from './source-test.tsx'
import { QrCode, SourceState, useSource } from './source-state.tsx'
import { Switch } from './switch.tsx'

export const useDevices = () => useSource<Device[]>('devices', '/api/devices')

/** Whole seconds until then, counted every second. */
const useSecondsUntil = (end: string): number => {
  const [at, tick] = useState(now)
  useEffect(() => {
    const timer = setInterval(() => tick(now()), 1_000)
    return () => clearInterval(timer)
  }, [])
  return Math.max(0, Math.ceil((Date.parse(end) - at) / 1_000))
}

const Code = ({ of, again }: { of: Invitation; again: () => void }) => {
  const t = texts.value.sources.phones
  const left = useSecondsUntil(of.expires_at)
  const { data: devices } = useDevices()
  if (devices?.some(({ id, paired }) => id === of.id && paired))
    return (
      <p class="notice done" role="status">
        <Stranger text={t.paired(of.name)} />
      </p>
    )
  if (left === 0)
    return (
      <>
        <p role="status">{t.expired}</p>
        <div>
          <button class="button main" type="button" onClick={again}>
            {t.again}
          </button>
        </div>
      </>
    )
  return (
    <>
      <p>{t.scan}</p>
      <QrCode svg={of.qr_svg} label={t.qr} />
      <Copyable text={of.pairing_code} />
      <p role="timer">{t.left(Math.floor(left / 60), String(left % 60).padStart(2, '0'))}</p>
    </>
  )
}

const Pairing = ({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) => {
  const { phones: t } = texts.value.sources
  const invite = useAction((name: string) => postData<Invitation>('/api/devices', { name }), ['sources', 'account'])
  useEffect(() => {
    if (isOpen) invite.reset()
  }, [isOpen])
  const close = (
    <button class="button" type="button" onClick={onClose}>
      {texts.value.common.close}
    </button>
  )
  return (
    <Dialog title={t.add} isOpen={isOpen} onClose={onClose}>
      {invite.result ? (
        <>
          <Code of={invite.result} again={() => void invite.run(invite.result!.name)} />
          <div>{close}</div>
        </>
      ) : (
        <form class="form" onSubmit={(event) => void invite.run(valuesOf(event).name ?? '')}>
          <TextField label={t.name} name="name" required error={invite.error} />
          <ActionProblem error={invite.error} fields={['name']} />
          <div class="row">
            <button class="button main" disabled={invite.isRunning}>
              {t.code}
            </button>
            {close}
          </div>
        </form>
      )}
    </Dialog>
  )
}

const Phone = ({ of }: { of: Device }) => {
  const { phones: t, url } = texts.value.sources
  return (
    <li class="stack tight">
      <div class="row between">
        <div>
          <h3>
            <Stranger text={of.name} />
          </h3>
          {of.model && (
            <p class="muted">
              <Stranger text={[of.model, of.platform].filter(Boolean).join(', ')} />
            </p>
          )}
          {of.paired ? <SourceState of={of} /> : <p class="muted">{t.waiting}</p>}
        </div>
        <div class="row">
          {of.paired && <SourceTest name={of.name} path={`/api/devices/${of.id}`} />}
          <Confirm
            button={t.remove}
            label={t.removeOf(of.name)}
            title={t.removeTitle(of.name)}
            text={t.removeText}
            act={() => remove(`/api/devices/${of.id}`)}
            stale={['sources', 'account']}
            done={t.removed}
          />
        </div>
      </div>
      {of.paired && (
        <Switch
          label={url.titles}
          hint={url.titlesHint}
          isOn={of.trust_sms_app_titles}
          change={(trust_sms_app_titles) => putData(`/api/devices/${of.id}`, { trust_sms_app_titles })}
          stale={['sources']}
        />
      )}
    </li>
  )
}

export const Phones = () => {
  const t = texts.value.sources.phones
  const devices = useDevices()
  const [isPairing, pair] = useState(false)
  return (
    <section class="block stack tight">
      <div class="row between">
        <PartHeading of="phones" text={t.title} />
        <button class="button" type="button" onClick={() => pair(true)}>
          {t.add}
        </button>
      </div>
      <p>{t.text}</p>
      <LoadedLines of={devices} empty={t.empty}>
        {(each) => <Phone key={each.id} of={each} />}
      </LoadedLines>
      <Pairing isOpen={isPairing} onClose={() => pair(false)} />
    </section>
  )
}
