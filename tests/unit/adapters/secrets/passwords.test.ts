import { setImmediate } from 'node:timers/promises'
import { expect } from 'chai'
import { NOBODYS, openPasswords, turnstile } from '../../../../adapters/secrets/passwords.ts'

describe('passwords', () => {
  it('are stored as argon2id, verified, and never accepted if none is stored', async () => {
    const passwords = openPasswords()
    const kept = await passwords.hash('correct horse')
    expect(kept).to.match(/^\$argon2id\$/)
    expect(await passwords.verify('correct horse', kept)).to.equal(true)
    expect(await passwords.verify('correct horsE', kept)).to.equal(false)
    expect(await passwords.verify('no account has this password', null)).to.equal(false)
  })

  it('take as long to verify if none is stored: the parameters and the lengths of salt and hash are the same', async () => {
    const lengths = (text: string) => text.split('$').map((part, index) => (index < 4 ? part : part.length))
    expect(lengths(NOBODYS)).to.deep.equal(lengths(await openPasswords().hash('correct horse')))
  })

  it('are all verified when many arrive at once, although at most two are computed at a time', async () => {
    const passwords = openPasswords()
    const kept = await passwords.hash('correct horse')
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, index) => passwords.verify(index % 2 ? 'correct horse' : 'wrong', kept)),
    )
    expect(answers).to.deep.equal(Array.from({ length: 12 }, (_, index) => index % 2 === 1))
  })

  it('are computed in turns, so a flood from one address delays others by one turn', async () => {
    const inTurn = turnstile(2)
    const started: string[] = []
    const ends: (() => void)[] = []
    // The test ends the work, so the order in which jobs end does not depend on the machine.
    const work = (caller: string) => () => {
      started.push(caller)
      return new Promise<void>((resolve) => ends.push(resolve))
    }
    const callers = [...Array.from({ length: 20 }, () => 'flooder'), 'owner', 'another']
    const all = callers.map((caller) => inTurn(caller, false, work(caller)))
    for (let ended = 0; ended < callers.length; ended++) {
      while (ends.length <= ended) await setImmediate()
      ends[ended]?.()
    }
    await Promise.all(all)
    // Two requests of the flood run at once, and one more has its turn before the callers that arrived later.
    expect(started.slice(0, 5)).to.deep.equal(['flooder', 'flooder', 'flooder', 'owner', 'another'])
    expect(started).to.have.length(22)
  })

  it('are not computed at once for a caller who arrives while another one has its turn', async () => {
    const inTurn = turnstile(1)
    const started: string[] = []
    const ends: (() => void)[] = []
    const ask = (caller: string) =>
      inTurn(caller, false, () => {
        started.push(caller)
        return new Promise<void>((resolve) => ends.push(resolve))
      })
    const all = [ask('one'), ask('two')]
    await setImmediate()
    ends[0]!()
    await setImmediate()
    all.push(ask('three'))
    await setImmediate()
    expect(started).to.deep.equal(['one', 'two'])
    ends[1]!()
    await setImmediate()
    ends[2]!()
    await Promise.all(all)
  })

  it('of new accounts are computed after those of logins from known addresses', async () => {
    const passwords = openPasswords()
    const kept = await passwords.hash('correct horse')
    const done: string[] = []
    const registrations = Array.from({ length: 6 }, (_, index) =>
      passwords.hash('correct horse', `stranger ${index}`).then(() => done.push('registration')),
    )
    const login = passwords.verify('correct horse', kept, 'owner', true).then(() => done.push('login'))
    await Promise.all([...registrations, login])
    expect(done.indexOf('login')).to.be.below(5)
  })
})
