/** Accounts for tests, made from their events, with tokens that open them. */
import { evolve, type Account } from '../../domain/account/account.ts'
import type { AccountEvent } from '../../domain/account/events.ts'
import { formToken, hashOfToken } from '../../domain/account/tokens.ts'
import { shownToken, type ShownToken } from '../../domain/arrival/arrival.ts'

const AT = '2026-11-01T00:00:00.000Z'
/** Later than every notification of the tests, whatever their clock says, so that the account still learns its bank accounts. */
const REGISTERED_AT = '2100-01-01T00:00:00.000Z'

/** The tokens of a user's devices by their number, and of the personal URL (0). */
export const tokenOf = (userId: number, device: number): string =>
  formToken(device === 0 ? 'receive_url' : 'device', userId, `${device}`.padStart(43, 't'))

/** The same token in the form in which a call presents it. */
export const shownOf = (userId: number, device: number): ShownToken =>
  shownToken(device === 0 ? 'receive_url' : 'device', tokenOf(userId, device))!

/** All credits are sent to a shop. */
const shopRule = (user_id: number): AccountEvent => ({
  type: 'RuleCreated',
  data: {
    user_id,
    rule_id: 20,
    name: 'shop',
    url: 'https://shop.example/webhook',
    system_id: null,
    http_method: 'POST',
    filter_banks: [],
    filter_type: 'credit',
    min_amount: null,
    payload_format: 'standard',
    custom_template: null,
    is_active: 1,
    is_auto: 0,
    sealed_secret: 'sealed',
    created_at: AT,
  },
})

/** The events of an owner's set-up: a personal URL, two devices, a system with the prefix `DH`, one rule for all credits. */
export const accountFacts = (
  userId: number,
  {
    prefixes = ['DH'],
    trustedSenders = [] as string[],
    withoutSender = false,
    smsAppTitles = false,
    rules = true,
  } = {},
): AccountEvent[] => [
  {
    type: 'AccountRegistered',
    data: {
      user_id: userId,
      email: `user${userId}@example.com`,
      name: null,
      operator: false,
      registered_at: REGISTERED_AT,
    },
  },
  {
    type: 'ReceiveUrlRotated',
    data: { user_id: userId, token_hash: hashOfToken(tokenOf(userId, 0)), sealed_token: 'sealed' },
  },
  ...[1, 2].map<AccountEvent>((device) => ({
    type: 'DeviceAdded',
    data: {
      user_id: userId,
      device_id: device,
      name: `phone ${device}`,
      token_hash: hashOfToken(tokenOf(userId, device)),
      created_at: AT,
    },
  })),
  ...prefixes.map<AccountEvent>((payment_prefix, index) => ({
    type: 'SystemAdded',
    data: {
      user_id: userId,
      system_id: 10 + index,
      name: payment_prefix,
      type: 'custom',
      payment_prefix,
      is_active: 1,
      created_at: AT,
    },
  })),
  ...(rules ? [shopRule(userId)] : []),
  {
    type: 'TrustedSendersSet',
    data: { user_id: userId, trusted_senders: trustedSenders, without_sender: withoutSender },
  },
  ...(smsAppTitles
    ? [{ type: 'SmsAppTitlesTrusted', data: { user_id: userId, device_id: 1, trusted: true } } satisfies AccountEvent]
    : []),
]

export const accountOf = (userId: number, options: Parameters<typeof accountFacts>[1] = {}): Account =>
  accountFacts(userId, options).reduce<Account | null>((account, event) => evolve(account, event), null)!
