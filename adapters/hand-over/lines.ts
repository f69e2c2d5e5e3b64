// Tests: tests/integration/hand-over/hand-over.test.ts
/**
 * Messages between two processes. Messages of one turn of the event loop share lines of JSON, and with them the cost of a write.
 */
import type { Duplex } from 'node:stream'

/** A line ends with the message that reaches this many characters. So large messages are answered one by one, and no peer seems silent. */
const ENOUGH = 64 * 1024
/** Most characters of a line. A peer that exceeds it is cut off. */
const MOST_CHARACTERS = 64 * 1024 * 1024

export class Lines<Sent, Received> {
  readonly #stream: Duplex
  #waiting: Sent[] = []
  #parts: string[] = []
  #characters = 0

  constructor(stream: Duplex, onMessage: (message: Received) => void) {
    this.#stream = stream
    stream.setEncoding('utf8').on('data', (text: string) => {
      let from = 0
      for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', from)) {
        const line = this.#parts.join('') + text.slice(from, end)
        this.#parts = []
        this.#characters = 0
        from = end + 1
        for (const message of JSON.parse(line) as Received[]) onMessage(message)
      }
      if (from < text.length) this.#parts.push(text.slice(from))
      this.#characters += text.length - from
      if (this.#characters > MOST_CHARACTERS) stream.destroy()
    })
  }

  send(message: Sent): void {
    this.#waiting.push(message)
    if (this.#waiting.length === 1) setImmediate(() => this.#flush())
  }

  #flush(): void {
    const messages = this.#waiting
    this.#waiting = []
    if (!this.#stream.writable) return
    let line = ''
    for (const message of messages) {
      line += `${line === '' ? '[' : ','}${JSON.stringify(message)}`
      if (line.length < ENOUGH) continue
      this.#stream.write(`${line}]\n`)
      line = ''
    }
    if (line !== '') this.#stream.write(`${line}]\n`)
  }
}
