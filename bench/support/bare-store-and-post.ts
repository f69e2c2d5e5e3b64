/**
 * The baseline for latency: the least that a service must do for a payment. It writes the text to a file, waits for the disk, answers, and
 * posts the order id, unsigned, to the endpoint. The argument is `{url}` of the endpoint.
 */
import { open, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { Pool } from 'undici'

const { url } = JSON.parse(process.argv[2]!) as { url: string }
const endpoint = new Pool(url, { connections: 32 })
const path = join(tmpdir(), `baoco-bare-${process.pid}`)
const file = await open(path, 'wx')
// It is written until the process ends.
await rm(path)
let id = 0

const server = createServer(async (request, response) => {
  const notification = await text(request)
  await file.write(notification)
  await file.datasync()
  const transaction_id = ++id
  response.setHeader('content-type', 'application/json')
  response.end(JSON.stringify({ success: true, data: { id: transaction_id } }))
  const body = JSON.stringify({ order_id: /DH\d+/.exec(notification)![0], transaction_id })
  const called = await endpoint.request({
    method: 'POST',
    path: '/',
    headers: { 'content-type': 'application/json' },
    body,
  })
  await called.body.dump()
})
server.listen(0, '127.0.0.1', () => console.log(JSON.stringify({ port: (server.address() as AddressInfo).port })))
