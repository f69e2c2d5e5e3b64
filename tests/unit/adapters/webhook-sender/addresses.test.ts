import { expect } from 'chai'
import { isAllowedAddress } from '../../../../adapters/webhook-sender/addresses.ts'
import { checkUrl } from '../../../../adapters/webhook-sender/check-url.ts'
import { parseHosts } from '../../../../adapters/webhook-sender/hosts-file.ts'

const PUBLIC = ['8.8.8.8', '113.161.0.1', '172.32.0.1', '2606:4700::1111', '::ffff:8.8.8.8']

/** Refused under every setting: no shop has such an address, or it bypasses the check. */
const NEVER = [
  '0.0.0.0', '100.64.0.1', '169.254.169.254', '192.0.0.8', '198.18.0.1', '203.0.113.1', '224.0.0.1', '240.0.0.1',
  '255.255.255.255', '::', 'fe80::1', 'fec0::1', 'ff02::1', '2001:db8::1', '64:ff9b::7f00:1', '64:ff9b:1::1',
  '2002:7f00:1::', '2001::1', '100::1', '::ffff:169.254.169.254', 'fd00:ec2::254', 'fd00:ec2:0::0:254', 'fd20:ce::254',
  'fd00:c1::a9fe:a9fe', 'fd00:42::42', '168.63.129.16', '::ffff:168.63.129.16', 'not an address', '',
] // prettier-ignore

const PRIVATE = ['127.0.0.1', '127.8.9.1', '10.0.0.1', '172.16.0.1', '192.168.1.1', '::1', 'fd00::1', '::ffff:10.0.0.1']

describe('the address check', () => {
  for (const address of PUBLIC)
    it(`always allows ${address}`, () => expect(isAllowedAddress(address, false)).to.equal(true))
  for (const address of NEVER)
    it(`never allows ${address || 'an empty address'}`, () => expect(isAllowedAddress(address, true)).to.equal(false))
  for (const address of PRIVATE)
    it(`allows ${address} only if the setting allows private addresses`, () => {
      expect(isAllowedAddress(address, false)).to.equal(false)
      expect(isAllowedAddress(address, true)).to.equal(true)
    })
})

describe('the URL check of a rule', () => {
  const strict = { allowPrivate: false, ownOrigins: ['https://baoco.example'] }

  for (const url of [
    'https://shop.vn/hook',
    'https://shop.vn:8443/hook?a=1',
    'https://8.8.8.8/',
    'https://[2606:4700::1111]/',
    'https://does-not-resolve.example/',
    'https://localhost.shop.vn/',
  ])
    it(`accepts ${url}`, () => expect(checkUrl(url, strict)).to.equal(null))

  for (const url of [
    'http://shop.vn/hook', 'ftp://shop.vn/', 'javascript:alert(1)', 'file:///etc/passwd', 'shop.vn', '', 'https://',
    'https://user:password@shop.vn/', 'https://user@shop.vn/', 'https://localhost/', 'https://LOCALHOST./',
    'https://a.localhost/', 'https://db.internal/', 'https://printer.local/', 'https://127.0.0.1/', 'https://127.1/',
    'https://0177.0.0.1/', 'https://0x7f.0.0.1/', 'https://2130706433/', 'https://0x7f000001/', 'https://0/',
    'https://[::1]/', 'https://[::ffff:127.0.0.1]/', 'https://[::ffff:7f00:1]/', 'https://[::127.0.0.1]/',
    'https://[64:ff9b::7f00:1]/', 'https://[2002:7f00:1::]/', 'https://[fd00::1]/', 'https://[fe80::1]/',
    'https://10.1.2.3/', 'https://192.168.0.1/', 'https://169.254.169.254/latest/meta-data/', 'https://100.64.0.1/',
    'https://①②⑦.⓪.⓪.①/', 'https://baoco.example/inbox', 'https://localhost../', 'https://foo.internal../', 'https://../', 'https://shop.vn../',
    'https://baoco.example../inbox',
  ]) it(`refuses ${url || 'an empty URL'}`, () => expect(checkUrl(url, strict)).to.be.a('string')) // prettier-ignore

  it('accepts loopback, private addresses and plain HTTP if the setting allows them', () => {
    for (const url of ['http://127.0.0.1:8080/', 'http://localhost/', 'http://192.168.1.1/', 'http://db.internal/'])
      expect(checkUrl(url, { allowPrivate: true }), url).to.equal(null)
    for (const url of ['http://169.254.169.254/', 'http://localhost../', 'http://../'])
      expect(checkUrl(url, { allowPrivate: true }), url).to.be.a('string')
  })
})

describe('the hosts file', () => {
  it('maps names to addresses, with comments and several names per line', () => {
    const hosts = parseHosts('127.0.0.1\tlocalhost shop.test # comment\n::1 localhost\n# 1.2.3.4 no\nnonsense here\n')
    expect(Object.fromEntries(hosts)).to.deep.equal({ localhost: ['127.0.0.1', '::1'], 'shop.test': ['127.0.0.1'] })
  })
})
