/** The work of accountants: files of a month or of a filter, and a key that can only read. */
import { readFile } from 'node:fs/promises'
import { expect } from 'chai'
import { readSheet } from 'read-excel-file/node'
import type { Owner } from '../../../harness/dashboard/owner.ts'
import type { Visitor } from '../../../harness/dashboard/visitor.ts'

export const exports = (visitor: () => Visitor, owner: () => Owner): void => {
  const downloaded = async (name: string) => {
    const { page } = visitor()
    const [file] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', { name }).click()])
    return { name: file.suggestedFilename(), path: await file.path() }
  }

  it('downloads a spreadsheet of the month with the chosen columns', async () => {
    const { page } = visitor()
    await visitor().open('/exports')
    await page.getByText(/^\d+ giao dịch trong tháng này\.$/).waitFor()
    const checked = page.locator('.boxes input:checked')
    while ((await checked.count()) > 0) await checked.first().uncheck()
    await page.getByText('Chọn ít nhất một cột.').waitFor()
    expect(await page.getByRole('link', { name: 'Tải tệp' }).count()).to.equal(0)
    await page.getByText('Thêm cột').click()
    for (const name of ['Ngày', 'Tiền vào', 'Mã đơn', 'Số dư (riêng tư)'])
      await page.getByLabel(name, { exact: true }).check()
    const { name, path } = await downloaded('Tải tệp')
    expect(name).to.match(/^baoco-\d{4}-\d\d\.xlsx$/)
    const sheet = await readSheet(path)
    expect(sheet[0]).to.deep.equal(['Ngày', 'Tiền vào', 'Mã đơn', 'Số dư'])
    expect(sheet.flat()).to.include('DH1042')
  })

  it('shows the sums of the month by bank, as in the file', async () => {
    const { page, url } = visitor()
    await visitor().open('/exports')
    const shown = await page
      .locator('section', { hasText: 'Tổng của tháng theo ngân hàng' })
      .locator('.pairs')
      .innerText()
    const month = await page.getByLabel('Tháng', { exact: true }).inputValue()
    const file = await owner().api.ask(
      'GET',
      `/api/transactions/export?month=${month}&format=csv&columns=bank_code,currency,money_in`,
      { key: owner().api.owner.api_key },
    )
    const sum = String(file.body)
      .split(/\r?\n/)
      .filter((line) => line.startsWith('VCB,VND,'))
      .reduce((total, line) => total + Number(line.split(',')[2]), 0)
    expect(sum, url).to.be.greaterThan(0)
    expect(shown.replaceAll('.', '')).to.include(`VCB`).and.include(`Tiền vào: +${sum}`)
  })

  it('makes a read-only key, and its command downloads the file', async () => {
    const { page } = visitor()
    await visitor().open('/exports')
    await page.getByLabel('Loại tệp').selectOption('csv')
    await page.getByText('Thêm cột').click()
    await page.getByLabel('Tin gốc (riêng tư)').check()
    await page.getByLabel('Tên khóa').fill('Chị Hạnh')
    await page.getByRole('button', { name: 'Tạo khóa chỉ đọc' }).click()
    await page.getByText('Lệnh bỏ các cột riêng tư').waitFor()
    const command = await page.locator('.copyable code', { hasText: 'curl' }).innerText()
    const [, key, url] = /^curl -H "X-Api-Key: (\S+)" -o \S+ "(\S+)"$/.exec(command)!
    const response = await fetch(url!, { headers: { 'x-api-key': key! } })
    expect(response.status).to.equal(200)
    expect(await response.text())
      .to.include('Mã đơn')
      .and.include('DH1042')
    const write = await owner().api.ask('POST', '/api/inbox', { key: key! })
    expect(write.status).to.equal(403)
    await page.getByRole('button', { name: 'Xóa khóa Chị Hạnh' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Xóa' }).click()
    await page.getByRole('button', { name: 'Xóa khóa Chị Hạnh' }).waitFor({ state: 'detached' })
  })

  it('downloads what the filter of the list shows, as CSV and as a spreadsheet', async () => {
    await visitor().open('/transactions?type=debit')
    await visitor().page.locator('.ledger').waitFor()
    const csv = await downloaded('Tải CSV')
    expect(csv.name).to.equal('baoco-transactions.csv')
    const text = await readFile(csv.path, 'utf8')
    expect(text).to.include('CTY GIAO HANG NHANH').and.not.include('DH1001')
    const excel = await downloaded('Tải Excel')
    expect(excel.name).to.equal('baoco-transactions.xlsx')
    expect((await readSheet(excel.path)).flat())
      .to.include('CTY GIAO HANG NHANH')
      .and.not.include('DH1001')
  })
}
