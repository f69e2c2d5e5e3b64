// Tests: tests/attack/alert-signature.test.ts
/** The address that receives alerts in addition to the owner's email, and the secret that signs these calls. */
import type { Account } from './state.ts'
import type { AccountEvent } from './events.ts'

/**
 * Sets the address. The secret stays as long as there is an address, like a rule's secret. If there was no address before, a new
 * secret is set.
 * @param sealed_secret  a new secret, used if there is none
 * @returns nothing if nothing changes
 */
export const setAlertWebhook = (
  { user_id, alert_webhook_url, alert_sealed_secret }: Account,
  { webhook_url, sealed_secret }: { webhook_url: string | null; sealed_secret: string },
): AccountEvent[] => {
  const lacksSecret = webhook_url !== null && alert_sealed_secret === null
  if (webhook_url === alert_webhook_url && !lacksSecret) return []
  return [{ type: 'AlertWebhookSet', data: { user_id, webhook_url, ...(lacksSecret && { sealed_secret }) } }]
}

/** Adds a secret to an address that was set before calls were signed. @returns nothing if there is a secret, or no address */
export const signAlertWebhook = (account: Account, sealed_secret: string): AccountEvent[] =>
  setAlertWebhook(account, { webhook_url: account.alert_webhook_url, sealed_secret })
