import { expect } from 'chai'
import { isWebPage } from '../../../../web/app/web-page.ts'

describe('the answer to a test call', () => {
  it('is recognised as a web page', () => {
    for (const body of ['<html><body><script src="/aes.js">', '\n<!DOCTYPE html>\n<html lang="vi">', '<HTML>'])
      expect(isWebPage(body), body).to.equal(true)
    for (const body of ['', 'ok', '{"ok":true}', '<response>ok</response>', 'see <html>'])
      expect(isWebPage(body), body).to.equal(false)
  })
})
