/** An account for each test of alerts, and what it sees of them. */
import { eventually } from '../../harness/eventually.ts'
import { openApi, type ApiUnderTest } from './api-under-test.ts'

export interface Alert {
  kind: string
  subject: string
  text: string
  since: string
  until: string | null
}

export interface AlertedAccount {
  api: ApiUnderTest
  key: string
  user_id: number
}

/** @param use  is called with a new account before each test */
export const withAlerts = (use: (account: AlertedAccount) => void) => {
  let api: ApiUnderTest
  let key: string

  before(async () => {
    api = await openApi({}, 'real')
  })
  after(async () => {
    await api.close()
  })
  beforeEach(async () => {
    const account = await api.newAccount(`u${Math.random()}@example.com`)
    key = account.api_key
    use({ api, key, user_id: account.user_id })
  })

  const alerts = async (): Promise<Alert[]> => (await api.ask('GET', '/api/alerts', { key })).body.data
  const theOne = (what: (alert: Alert) => boolean = () => true) =>
    eventually(async () => (await alerts()).filter(what)[0], { what: 'the alert' })
  const mails = async () => (await api.outbox.list()).filter(({ to }) => to.startsWith('u'))
  const newRule = async (url = 'https://shop.example/hook'): Promise<number> =>
    (await api.ask('POST', '/api/webhooks', { key, json: { name: 's', url } })).body.data.id
  return { alerts, theOne, mails, newRule }
}
