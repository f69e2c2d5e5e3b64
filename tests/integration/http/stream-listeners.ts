/** Listeners of live streams in tests. */

interface Sent {
  id?: string
  event?: string
  // oxlint-disable-next-line typescript/no-explicit-any -- of every shape
  data?: any
}

export const openListeners = () => {
  const closes: (() => void)[] = []
  const listen = async (url: string, headers: Record<string, string> = {}) => {
    const stopping = new AbortController()
    closes.push(() => stopping.abort())
    const response = await fetch(url, { headers, signal: stopping.signal })
    const sent: Sent[] = []
    let ended = false
    let lastId: string | undefined
    const read = async () => {
      let text = ''
      for await (const bytes of response.body!.pipeThrough(new TextDecoderStream())) {
        text += bytes
        for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
          const lines = text
            .slice(0, end)
            .split('\n')
            .map((each) => /^(\w+): (.*)$/.exec(each))
          const fields = Object.fromEntries(lines.flatMap((each) => (each ? [[each[1], each[2]]] : [])))
          lastId = (fields.id as string | undefined) ?? lastId
          if (fields.event) sent.push({ ...fields, data: JSON.parse(fields.data as string) })
          text = text.slice(end + 2)
        }
      }
    }
    const done =
      response.status === 200
        ? read()
            .catch(() => {})
            .then(() => (ended = true))
        : Promise.resolve()
    return { response, sent, isEnded: () => ended, lastId: () => lastId, done, stop: () => stopping.abort() }
  }
  return {
    listen,
    close: (): void => {
      for (const close of closes.splice(0)) close()
    },
  }
}
