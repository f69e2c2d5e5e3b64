import { expect } from 'chai'
import { callerOf } from '../../../../../adapters/http/middleware/caller.ts'

describe('the caller', () => {
  for (const [address, caller] of [
    ['203.0.113.7', '203.0.113.7'],
    ['203.0.113.7:51234', '203.0.113.7'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:DB8:1:2::1', '2001:db8:1:2::/64'],
    ['[2001:db8:1:2::1]:443', '2001:db8:1:2::/64'],
    ['[2001:db8:1:2::1]', '2001:db8:1:2::/64'],
    ['2001:db8:1:3::1', '2001:db8:1:3::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['unknown', 'unknown'],
    ['', ''],
    ['x'.repeat(5_000), 'x'.repeat(64)],
  ] as const)
    it(`at ${address.slice(0, 40) || 'no address'} is ${caller.slice(0, 40) || 'an empty name'}`, () =>
      expect(callerOf(address)).to.equal(caller))
})
