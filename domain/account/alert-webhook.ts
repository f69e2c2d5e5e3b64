/** The address that alerts are sent to besides the owner's e-mail, and the secret that these calls are signed with. */
import type { Account } from './state.ts'
import type { AccountEvent } from './events.ts'

/**
 * The secret stays while there is an address, as a rule's does; a new one is made when an address is set after there was none.
 * @param sealed_secret  a new one, used where there is none
 * @returns nothing where nothing changes
 */
export const setAlertWebhook = (
  { user_id, alert_webhook_url, alert_sealed_secret }: Account,
  { webhook_url, sealed_secret }: { webhook_url: string | null; sealed_secret: string },
): AccountEvent[] => {
  const lacksSecret = webhook_url !== null && alert_sealed_secret === null
  if (webhook_url === alert_webhook_url && !lacksSecret) return []
  return [{ type: 'AlertWebhookSet', data: { user_id, webhook_url, ...(lacksSecret && { sealed_secret }) } }]
}

/** A secret for an address that was set before calls were signed. @returns nothing where there is one, or no address */
export const signAlertWebhook = (account: Account, sealed_secret: string): AccountEvent[] =>
  setAlertWebhook(account, { webhook_url: account.alert_webhook_url, sealed_secret })
