import { expect } from 'chai'
import { hashOfToken } from '../../../../domain/account/tokens.ts'
import { mailLinks } from '../../../../workflows/accounts/mail-links.ts'

const tokenIn = (url: string): string => new URL(url).searchParams.get('token')!

describe('links in mails', () => {
  const links = mailLinks('secret', 'https://pay.example')

  it('contain the token that was made, and are the same whenever the mail is written', () => {
    const { nonce, token_hash } = links.make('reset_password', 5)
    const url = links.url('reset_password', 5, nonce)
    expect(url).to.match(/^https:\/\/pay\.example\/reset-password\?token=/)
    expect(hashOfToken(tokenIn(url))).to.equal(token_hash)
    expect(mailLinks('secret', 'https://pay.example').url('reset_password', 5, nonce)).to.equal(url)
  })

  it('depend on the secret, the purpose, the account and the nonce', () => {
    const mac = (url: string) => tokenIn(url).split('.').at(-1)
    const macs = [
      links.url('reset_password', 5, 'nonce'),
      mailLinks('another secret', 'https://pay.example').url('reset_password', 5, 'nonce'),
      links.url('verify_email', 5, 'nonce'),
      links.url('reset_password', 6, 'nonce'),
      links.url('reset_password', 5, 'another nonce'),
    ].map(mac)
    expect(new Set(macs).size).to.equal(macs.length)
  })
})
