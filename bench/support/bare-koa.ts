/** The baseline for receiving: a bare Koa handler that only parses the same body and returns a response of the same format. */
import Koa from 'koa'
import { koaBody } from 'koa-body'
import type { AddressInfo } from 'node:net'

const app = new Koa()
let id = 0
app.use(koaBody())
app.use((context) => {
  const { text } = context.request.body as { text: string }
  context.body = { success: true, data: { id: ++id, webhook_status: text ? 'skipped' : 'no_match' } }
})
const server = app.listen(0, '127.0.0.1', () =>
  console.log(JSON.stringify({ port: (server.address() as AddressInfo).port })),
)
