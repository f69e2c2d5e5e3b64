// Tests: tests/e2e/main-job-roles.test.ts
/** What the steps of a start share: the settings, where they report, and what is closed again at the end. */
import { openLogLines } from '../../adapters/telemetry/log-lines.ts'
import { openMetrics, type Metrics } from '../../adapters/telemetry/metrics.ts'
import { noSpans, openSpans, type Spans } from '../../adapters/telemetry/otlp.ts'
import { releaseMemoryAtRest } from '../../adapters/system/memory-at-rest.ts'
import type { StoreMemory } from '../../adapters/system/store-memory.ts'
import type { LogLines } from '../../domain/ports.ts'
import { readSettings, type Settings } from '../settings/settings.ts'
import type { AwaitedServers } from './front.ts'

export interface OpeningOptions {
  /** This process itself must run the embedded Postgres. */
  ownsDatabase: boolean
  /** A role of this process serves the API. */
  servesApi: boolean
  /** A role of this process captures notifications. */
  captures: boolean
  /** What this process knew when it found that the store went back; undefined at its first start. */
  before: StoreMemory | undefined
}

export interface Opening {
  /** Names this process to a command that must run alone. */
  name: string
  options: OpeningOptions
  settings: Settings
  log: LogLines
  metrics: Metrics
  /** For an OpenTelemetry collector, if the settings name one. */
  spans: Spans
  stopping: AbortSignal
  /** The servers that this start waits for. */
  awaited: AwaitedServers
  /** Calls this at the close. What was opened last is closed first. */
  onClose(close: () => unknown): void
  close(): Promise<void>
}

/** @throws an error that names every invalid setting */
export const beginOpening = (name: string, stopping: AbortSignal, options: OpeningOptions): Opening => {
  const settings = readSettings(process.env)
  const log = openLogLines(settings.logLevel)
  const opened: (() => unknown)[] = [releaseMemoryAtRest()]
  const spans = spansFor(settings, log)
  opened.push(() => spans.close())
  return {
    name,
    options,
    settings,
    log,
    metrics: openMetrics(),
    spans,
    stopping,
    awaited: new Set(),
    onClose: (close) => void opened.push(close),
    close: async () => {
      for (const closeOne of opened.splice(0).reverse()) await closeOne()
    },
  }
}

const spansFor = ({ otlpEndpoint, otlpHeaders, otlpServiceName, otlpDisabled }: Settings, log: LogLines): Spans =>
  otlpEndpoint === undefined || otlpDisabled
    ? noSpans
    : openSpans({
        endpoint: otlpEndpoint,
        headers: otlpHeaders ?? {},
        serviceName: otlpServiceName,
        onFailure: (reason) => log.warn({ reason }, 'traces.not_sent'),
      })
