/** The day and the time on a page: over night, while nothing happens, and if the clock of the device is wrong. */
import { expect } from 'chai'
import { HOUR_MS } from '../../../../domain/time.ts'
import { OWNERS_PASSWORD } from '../../../integration/http/api-under-test.ts'
import type { Owner } from '../../../harness/dashboard/owner.ts'
import { WITHIN, type Visitor } from '../../../harness/dashboard/visitor.ts'
import { eventually } from '../../../harness/eventually.ts'

/** Runs in the page. The server's clock cannot be moved with that of the page. */
const WITHOUT_SERVER_TIME = `{
  const { get } = Headers.prototype
  Headers.prototype.get = function (name) { return name === 'Date' ? null : get.call(this, name) }
}`
/** 23:55 of the current day in Vietnam. The clock of the page goes on from there, so a busy machine has five minutes to open it. */
const beforeMidnight = (): Date => {
  const local = new Date(Date.now() + 7 * HOUR_MS)
  return new Date(Date.UTC(local.getUTCFullYear(), local.getUTCMonth(), local.getUTCDate(), 23 - 7, 55))
}

export const midnight = (visitor: () => Visitor, owner: () => Owner): void => {
  it('begins a new day at midnight on pages that stay open, and counts on how long ago a source reported', async () => {
    const { url } = visitor()
    const { url: link } = await owner().make<{ url: string }>('/api/counter')
    await owner().pay({ order_id: 'DH2359', amount: '350000.00' })
    const context = await visitor().page.context().browser()!.newContext({ timezoneId: 'Europe/Berlin' })
    context.setDefaultTimeout(WITHIN / 3)
    try {
      await context.clock.install({ time: beforeMidnight() })
      await context.addInitScript(WITHOUT_SERVER_TIME)
      const page = await context.newPage()
      const counter = await context.newPage()
      await counter.goto(url + new URL(link).pathname)
      await page.goto(`${url}/login`)
      await page.locator('input[type=email]').fill('owner@baoco.local')
      await page.locator('input[type=password]').fill(OWNERS_PASSWORD)
      await page.keyboard.press('Enter')
      const row = page.locator('.ledger tr', { hasText: 'DH2359' })
      await row.getByText(/^\d\d:\d\d$/).waitFor()
      await counter
        .getByText(/^\d\d:\d\d$/)
        .first()
        .waitFor()
      expect(await page.locator('.figure').innerText()).to.not.equal('0\u00a0₫')
      await context.clock.fastForward(6 * 60_000)
      await page.locator('.figure', { hasText: /^0\u00a0₫$/ }).waitFor()
      await row.getByText(/^\d\d\/\d\d \d\d:\d\d$/).waitFor()
      await counter
        .locator('.latest')
        .getByText(/^\d\d\/\d\d \d\d:\d\d$/)
        .waitFor()

      // How long ago a source reported goes on too, although it reports nothing new.
      const { id, pairing_code: code } = await owner().make<{ id: number; pairing_code: string }>('/api/devices', {
        name: 'Máy đêm',
      })
      await owner().api.ask('POST', '/api/receive/pair', { json: { code } })
      await owner().fellSilent(id)
      await owner().reports(id)
      await page.goto(`${url}/sources`)
      const seen = page.locator('.lines > li', { hasText: 'Máy đêm' }).locator('time')
      const before = await seen.innerText()
      await context.clock.fastForward(5 * HOUR_MS)
      await eventually(async () => (await seen.innerText()) !== before)
      await owner().api.ask('DELETE', `/api/devices/${id}`, { key: owner().api.owner.api_key })
    } finally {
      await context.close()
    }
  })

  it('uses the server’s clock if that of the device is a day ahead', async () => {
    const { url } = visitor()
    const { url: link } = await owner().make<{ url: string }>('/api/counter')
    await owner().pay({ order_id: 'DH2400', amount: '350000.00' })
    const context = await visitor().page.context().browser()!.newContext()
    context.setDefaultTimeout(WITHIN / 3)
    try {
      await context.clock.install({ time: new Date(Date.now() + 26 * HOUR_MS) })
      const page = await context.newPage()
      await page.goto(url + new URL(link).pathname)
      await page
        .locator('.latest')
        .getByText(/^\d\d:\d\d$/)
        .waitFor()
      await page.goto(`${url}/login`)
      await page.locator('input[type=email]').fill('owner@baoco.local')
      await page.locator('input[type=password]').fill(OWNERS_PASSWORD)
      await page.keyboard.press('Enter')
      await page
        .locator('.ledger tr', { hasText: 'DH2400' })
        .getByText(/^\d\d:\d\d$/)
        .waitFor()
      await page.locator('.figure:not(:text-is("0\u00a0₫"))').waitFor()
      await page.goto(`${url}/sources`)
      await page.getByRole('button', { name: 'Ghép điện thoại' }).click()
      await page.getByLabel('Tên điện thoại').fill('Máy lệch giờ')
      await page.keyboard.press('Enter')
      await page
        .getByRole('timer')
        .getByText(/[89]:\d\d/)
        .waitFor()
      const devices = await owner().list<{ id: number; name: string }[]>('/api/devices')
      const { id } = devices.find(({ name }) => name === 'Máy lệch giờ')!
      await owner().api.ask('DELETE', `/api/devices/${id}`, { key: owner().api.owner.api_key })
    } finally {
      await context.close()
    }
  })
}
