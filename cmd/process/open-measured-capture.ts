// Tests: tests/integration/kafka/serve.test.ts
/** Capture in this process. It reports each notification to the metrics, the log, the traces, and the list of phones and mailboxes. */
import type { LastSeenNotes } from '../../adapters/postgres/ops/last-seen.ts'
import { awakeNow } from '../../adapters/system/awake.ts'
import type { LogLines } from '../../domain/ports.ts'
import type { Metrics } from '../../adapters/telemetry/metrics.ts'
import type { Spans } from '../../adapters/telemetry/otlp.ts'
import { spanOfCapture } from '../../adapters/telemetry/spans.ts'
import { planAccountOf } from '../../domain/plan-order/plan-order.ts'
import { openCapture, type Capture, type CaptureOptions } from '../../workflows/capture/capture.ts'
import type { Settings } from '../settings/settings.ts'

interface Parts extends Pick<CaptureOptions, 'store' | 'ids' | 'clock' | 'accounts' | 'snapshots' | 'onAppending'> {
  settings: Settings
  lastSeen: LastSeenNotes
  metrics: Metrics
  log: LogLines
  spans: Spans
}

export const openMeasuredCapture = ({ settings, lastSeen, metrics, log, spans, ...parts }: Parts): Capture =>
  openCapture({
    ...parts,
    warmBytes: settings.windowMegabytes * 1_048_576,
    plans: planAccountOf(settings),
    oldAfterMs: settings.reparseMaxAge * 1_000,
    elapsed: awakeNow,
    onTaken: (taken) => {
      const now = parts.clock.now()
      metrics.notificationTaken(taken.outcome)
      if (taken.user_id !== null && taken.receive_path !== null) lastSeen.note(taken.user_id, taken.receive_path, now)
      log.info(taken, 'notification.received')
      spans.add(() => spanOfCapture(taken, now.getTime()))
    },
  })
