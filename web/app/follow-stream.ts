// Tests: tests/e2e/browser/recovery.test.ts
/**
 * Keeps a stream of server-sent events open, and opens it again whenever it ends, with growing pauses while it cannot be opened.
 *
 * The stream is read by `fetch` and not by EventSource, because only `fetch` shows the server's comments: without them for 40 s, the
 * connection is dead, even if the system does not say so. The silence is measured by the clock and not by a timer, because timers stand
 * still while the computer sleeps.
 */
const SILENCE_MS = 40_000
/** The server writes a comment every 15 s. Somebody who comes back does not wait for the longer silence. */
const SUSPECT_MS = 20_000
const CHECK_MS = 2_000
const FIRST_WAIT_MS = 1_000
const LONGEST_WAIT_MS = 30_000

export interface StreamEvent {
  id?: string | undefined
  event?: string | undefined
  /** Missing if this is only a position. */
  data?: string | undefined
}

interface Following {
  /** Returns the address. Called each time that the stream is opened. */
  path: () => string
  onOpen: (answer: Response) => void
  onAway: () => void
  onEvent: (event: StreamEvent) => void
  /** @returns whether this answer ends everything */
  onRefused?: (response: Response) => boolean | Promise<boolean>
}

export interface Followed {
  /** The user or the network is back: a suspicious stream is opened again at once, and nobody waits for the end of a pause. */
  comeBack(): void
  /** Opens the stream again. */
  again(): void
  stop(): void
}

/** The server writes each field on one line, and a space after its name. A comment has an empty name. */
const fieldsOf = (block: string): StreamEvent =>
  Object.fromEntries(block.split('\n').map((line) => line.split(/: (.*)/s))) as StreamEvent

export const followStream = ({ path, onOpen, onAway, onEvent, onRefused }: Following): Followed => {
  /** The open stream, and when it last sent something. */
  let stream: AbortController | undefined
  let lastSentAt = 0
  let isOver = false
  let wake = (): void => {}
  const endAfter = (silence: number): void => {
    // The clock may have been set back.
    if (stream && Math.abs(Date.now() - lastSentAt) > silence) stream.abort()
  }

  const pause = (duration: number): Promise<void> =>
    new Promise((done) => {
      const timer = setTimeout(done, duration)
      wake = () => {
        clearTimeout(timer)
        done()
      }
    })

  /** Reads the stream until it ends. */
  const listen = async (opened: (answer: Response) => void): Promise<void> => {
    const gone = new AbortController()
    stream = gone
    lastSentAt = Date.now()
    try {
      const response = await fetch(path(), { signal: gone.signal, headers: { Accept: 'text/event-stream' } })
      if (!response.ok || !response.body) {
        isOver ||= (await onRefused?.(response)) ?? false
        return
      }
      opened(response)
      let text = ''
      const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
      for (let part = await reader.read(); !part.done; part = await reader.read()) {
        lastSentAt = Date.now()
        const blocks = (text + part.value).split('\n\n')
        text = blocks.pop()!
        for (const block of blocks) {
          const fields = fieldsOf(block)
          if (fields.event === 'bye' || fields.event === 'end') gone.abort()
          else onEvent(fields)
        }
      }
    } catch {
      // The connection broke, or was silent for too long.
    } finally {
      stream = undefined
    }
  }

  const follow = async (): Promise<void> => {
    let wait = FIRST_WAIT_MS
    while (!isOver) {
      await listen((answer) => {
        wait = FIRST_WAIT_MS
        onOpen(answer)
      })
      if (isOver) return
      onAway()
      await pause(wait * (0.8 + Math.random() * 0.4))
      wait = Math.min(wait * 2, LONGEST_WAIT_MS)
    }
  }

  const check = setInterval(() => endAfter(SILENCE_MS), CHECK_MS)
  void follow()
  return {
    comeBack: () => {
      endAfter(SUSPECT_MS)
      wake()
    },
    again: () => stream?.abort(),
    stop: () => {
      isOver = true
      clearInterval(check)
      stream?.abort()
      wake()
    },
  }
}
