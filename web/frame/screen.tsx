// Tests: tests/e2e/browser/dashboard.test.ts
/** The file of a screen is loaded when it is needed. If that fails, the page is loaded again as soon as the server answers. */
import type { FunctionComponent } from 'preact'
import { useEffect } from 'preact/hooks'
import lazy from 'preact-iso/lazy'
import { ApiError } from '../api/client.ts'
import { whenBack } from '../app/when-back.ts'
import { texts } from '../app/language.ts'
import { isServerThere, mayReload } from '../app/missing-file.ts'
import { Heading, Problem } from '../ui/basics.tsx'

const TRY_AGAIN_MS = 5_000

const NotLoaded = ({ error, retry }: { error: ApiError; retry: () => unknown }) => (
  <>
    <Heading title={texts.value.common.notLoaded} />
    <Problem error={error} retry={retry} />
  </>
)

const returnWithServer = async (): Promise<void> => {
  if (await isServerThere()) location.reload()
}

const Away = () => {
  useEffect(() => {
    const timer = setInterval(() => void returnWithServer(), TRY_AGAIN_MS)
    const stopWaiting = whenBack(() => void returnWithServer())
    return () => {
      clearInterval(timer)
      stopWaiting()
    }
  }, [])
  return <NotLoaded error={new ApiError(0, 'OFFLINE', '')} retry={returnWithServer} />
}

const Missing = () => <NotLoaded error={new ApiError(404, 'INTERNAL_ERROR', '')} retry={() => location.reload()} />

const instead = async (): Promise<FunctionComponent> => {
  if (!(await isServerThere())) return Away
  if (!mayReload()) return Missing
  location.reload()
  return new Promise(() => {})
}

/** @param load  loads the file that has the screen of this name */
export const screen = <Name extends string>(load: () => Promise<Record<Name, FunctionComponent>>, name: Name) =>
  lazy(() => load().then((file) => file[name], instead))
