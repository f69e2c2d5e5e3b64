// Tests: tests/integration/http/session.test.ts
/** The counter's page: large text, read-only, no content from other hosts. Texts of strangers are inserted only as text nodes. */

export const COUNTER_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

export const COUNTER_PAGE = `<!doctype html>
<html lang="vi">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Baoco</title>
<link rel="stylesheet" href="/counter.css">
<main>
<h1>Tiền vào</h1>
<p id="state" role="status">Đang kết nối…</p>
<ol id="payments"></ol>
</main>
<script type="module" src="/counter.js"></script>
</html>
`

export const COUNTER_STYLE = `:root { color-scheme: light dark; --ground: light-dark(#fbfaf7, #14140f); --ink: light-dark(#1c1b18, #edeae0); --muted: light-dark(#5f5b52, #a8a395); --credit: light-dark(#0a6b3d, #6fcf97); --edge: light-dark(#8a857a, #757063) }
body { margin: 0; background: var(--ground); color: var(--ink); font: 20px/28px system-ui, sans-serif }
main { max-width: 40rem; margin: 0 auto; padding: 16px }
h1 { font-size: 28px; font-weight: 600 }
#state { color: var(--muted) }
ol { list-style: none; margin: 0; padding: 0 }
li { display: flex; flex-wrap: wrap; gap: 0 16px; align-items: baseline; padding: 12px 0; border-bottom: 1px solid var(--edge) }
li:first-child b { font-size: 48px; line-height: 56px }
b { color: var(--credit); font-size: 28px; line-height: 36px; font-variant-numeric: tabular-nums }
time { color: var(--muted); margin-left: auto }
`

export const COUNTER_SCRIPT = `const list = document.getElementById('payments')
const state = document.getElementById('state')
const SHOWN = 10
const shown = new Set()
const money = (amount, currency) =>
  '+' + new Intl.NumberFormat('vi-VN', { style: 'currency', currency, maximumFractionDigits: currency === 'VND' ? 0 : 2 }).format(amount)
const row = ({ amount, currency, order_id, at }) => {
  const item = document.createElement('li')
  const sum = document.createElement('b')
  sum.textContent = money(amount, currency)
  const order = document.createElement('span')
  order.textContent = order_id ?? ''
  const time = document.createElement('time')
  time.dateTime = at
  time.textContent = new Date(at).toLocaleTimeString('vi-VN', { hour: '2-digit', minute: '2-digit' })
  item.append(sum, order, time)
  return item
}
const show = (payment) => {
  if (shown.has(payment.id)) return
  shown.add(payment.id)
  list.prepend(row(payment))
  while (list.children.length > SHOWN) list.lastChild.remove()
}
const AGAIN_MS = 3000
const statusOfPage = () => fetch(location.pathname, { method: 'HEAD' }).then(({ status }) => status, () => 0)
const listen = () => {
  const source = new EventSource(location.pathname + '/stream')
  source.addEventListener('open', () => (state.textContent = 'Đang nghe'))
  source.addEventListener('payments', (event) => JSON.parse(event.data).payments.reverse().forEach(show))
  source.addEventListener('transaction', (event) => show(JSON.parse(event.data)))
  source.addEventListener('reset', () => {
    source.close()
    listen()
  })
  source.addEventListener('error', async () => {
    state.textContent = 'Mất kết nối, đang thử lại…'
    // A browser tries again by itself after a break, but not after an answer such as a proxy's 502.
    if (source.readyState !== EventSource.CLOSED) return
    if ((await statusOfPage()) === 404) state.textContent = 'Liên kết này không còn dùng được.'
    else setTimeout(listen, AGAIN_MS)
  })
}
listen()
`
