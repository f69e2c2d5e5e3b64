// Tests: tests/integration/http/dashboard.test.ts
/** Whether the shop is called, and how: one file in the browser. */
export { Undelivered } from '../undelivered.tsx'
export { WebhookPage } from '../webhook.tsx'
export { ChangeWebhook, NewWebhook } from '../webhook-editor.tsx'
export { Webhooks } from '../webhooks.tsx'
