import { expect } from 'chai'
import type { HistoryLine } from '../../../../web/api/types.ts'
import { historyText, orderText } from '../../../../web/app/history-text.ts'
import { en } from '../../../../web/texts/en.ts'
import { vi } from '../../../../web/texts/vi.ts'

const NAMES: Record<number, string> = { 4: 'Hoa Sen', 5: 'Sổ kế toán' }
const nameOf = (rule: number) => NAMES[rule] ?? `webhook số ${rule}`
const textOf = (facts: HistoryLine['facts'], texts = vi) =>
  historyText({ at: '2026-11-25T08:00:00.000Z', event: 'any', facts }, texts, nameOf)

describe('a line of the history', () => {
  it('names the webhooks of a transaction, or why there are none', () => {
    expect(textOf({ rules: [4, 5] })).to.equal('Hoa Sen, Sổ kế toán')
    expect(textOf({ rules: [] })).to.equal('Không webhook nào nhận')
    expect(textOf({ rules: [], held: 'unconfirmed_account' })).to.equal('Chưa gửi, vì số tài khoản chưa được xác nhận')
    expect(textOf({ rules: [4], held: 'old_notification' }, en)).to.equal(
      'Not sent, because the notification came too late',
    )
    expect(textOf({ rules: [], copy_of: 12 })).to.equal('Bản sao của giao dịch 12, nên không gửi')
    expect(textOf({ rules: [], came_back: true })).to.equal('Nội dung ghi là tiền hoàn trả, nên không trả cho đơn nào')
    expect(textOf({ rules: [], copy_of: 12, came_back: true }, en)).to.equal(
      'A copy of transaction 12, so nothing is sent. Its text says that the money came back, so it pays no order',
    )
  })

  it('says why the order id is one', () => {
    const order = (facts: HistoryLine['facts'], texts = vi) =>
      orderText({ at: '2026-11-25T08:00:00.000Z', event: 'any', facts }, texts)
    expect(order({ rules: [4], prefix: 'DH' })).to.equal('Nhận ra mã đơn nhờ tiền tố DH của cửa hàng')
    expect(order({ rules: [], prefix: null }, en)).to.equal('The order id has the prefix of none of your shops')
    expect(order({ rules: [4] })).to.equal('')
  })

  it('says how an attempt ended', () => {
    const attempt = { rules: [4], attempt: 2 }
    expect(textOf({ ...attempt, http_status: 200, error: null })).to.equal('Hoa Sen, lần 2: Đã báo')
    expect(textOf({ ...attempt, http_status: 500, error: 'http_500' })).to.equal(
      'Hoa Sen, lần 2: Cửa hàng gặp lỗi (HTTP 500)',
    )
    expect(textOf({ ...attempt, http_status: 0, error: 'dns' }, en)).to.match(/^Hoa Sen, attempt 2: [^()]+$/)
  })

  it('says who asked for a retry, and why a delivery ended', () => {
    expect(textOf({ rules: [4], by: 'manual', why: 'again' })).to.equal('Gửi thêm một lần, Hoa Sen')
    expect(textOf({ rules: [4, 9], by: 'bulk', why: 'retry' })).to.equal('Gửi lại, hàng loạt, Hoa Sen, webhook số 9')
    expect(textOf({ rules: [9], why: 'rule_deleted' }, en)).to.equal('The webhook was deleted, webhook số 9')
  })

  it('says the new status in words, and nothing about what it does not know', () => {
    expect(textOf({ status: 'failed' })).to.equal('Lỗi')
    expect(textOf({ status: 'success' }, en)).to.equal('Delivered')
    expect(textOf({})).to.equal('')
  })
})
