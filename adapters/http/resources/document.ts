// Tests: tests/integration/http/document.test.ts
/** The OpenAPI document, and a page that shows it. All files are served from here, none from other hosts. */
import type Router from '@koa/router'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { createHash } from 'node:crypto'
import { z } from 'zod'
import type { ApiMiddleware, ApiState } from '../context.ts'
import { whole } from '../openapi/answers.ts'
import { openApiDocument } from '../openapi/document.ts'
import type { Answer, Operation } from '../openapi/operation.ts'
import type { Operations } from '../openapi/operations.ts'

const PAGE = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>Baoco: the API</title>
    <link rel="stylesheet" href="/docs/swagger-ui.css" />
    <link rel="icon" href="/docs/favicon-32x32.png" />
  </head>
  <body>
    <div id="document"></div>
    <script src="/docs/swagger-ui-bundle.js"></script>
    <script src="/docs/start.js"></script>
  </body>
</html>
`

const START = `SwaggerUIBundle({ url: '/api/openapi.json', dom_id: '#document', deepLinking: true, validatorUrl: null })
`

/** Allows scripts, styles and calls only for this origin. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const DIST = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'))

/** A file of the page, read at the first request and then cached. Supports conditional requests. */
const file = (type: string, read: () => string | Buffer): ApiMiddleware => {
  let kept: { bytes: Buffer; etag: string } | undefined
  return (context) => {
    if (!kept) {
      const bytes = Buffer.from(read())
      kept = { bytes, etag: `"${createHash('sha256').update(bytes).digest('base64url')}"` }
    }
    context.set('Content-Security-Policy', POLICY)
    context.set('Referrer-Policy', 'no-referrer')
    context.set('Cache-Control', 'no-cache')
    context.set('ETag', kept.etag)
    context.status = 200
    if (context.fresh) {
      context.status = 304
      return
    }
    context.type = type
    context.body = kept.bytes
  }
}

const ofSwaggerUi = (name: string, type: string) => file(type, () => readFileSync(join(DIST, name)))

/** @param declared  must contain all operations before the first request */
export const documentRoutes = (
  operations: Operations,
  router: Router<ApiState>,
  { declared, baseUrl }: { declared: readonly Operation[]; baseUrl: string },
): void => {
  const { get } = operations.of('This document')
  let document: Buffer | undefined

  /** The document has 400 KB. It is written once. */
  const written: Answer<Buffer> = {
    answers: whole(z.looseObject({ openapi: z.string() })).answers,
    write: (context, bytes) => {
      context.type = 'application/json'
      context.response.body = bytes
    },
  }
  get('/api/openapi.json', 'Get the OpenAPI document', written, () => {
    document ??= Buffer.from(JSON.stringify(openApiDocument(declared, baseUrl)))
    return document
  })

  router.get(
    '/docs',
    file('text/html; charset=utf-8', () => PAGE),
  )
  router.get(
    '/docs/start.js',
    file('text/javascript; charset=utf-8', () => START),
  )
  router.get('/docs/swagger-ui.css', ofSwaggerUi('swagger-ui.css', 'text/css; charset=utf-8'))
  router.get('/docs/swagger-ui-bundle.js', ofSwaggerUi('swagger-ui-bundle.js', 'text/javascript; charset=utf-8'))
  router.get('/docs/favicon-32x32.png', ofSwaggerUi('favicon-32x32.png', 'image/png'))
}
