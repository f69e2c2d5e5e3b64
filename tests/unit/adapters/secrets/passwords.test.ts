import { expect } from 'chai'
import { openPasswords } from '../../../../adapters/secrets/passwords.ts'

describe('passwords', () => {
  it('are kept as argon2id, verified, and never right where there is none', async () => {
    const passwords = openPasswords()
    const kept = await passwords.hash('correct horse')
    expect(kept).to.match(/^\$argon2id\$/)
    expect(await passwords.verify('correct horse', kept)).to.equal(true)
    expect(await passwords.verify('correct horsE', kept)).to.equal(false)
    expect(await passwords.verify('no account has this password', null)).to.equal(false)
  })

  it('are all answered when many come at a time, though two at most are computed', async () => {
    const passwords = openPasswords()
    const kept = await passwords.hash('correct horse')
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, index) => passwords.verify(index % 2 ? 'correct horse' : 'wrong', kept)),
    )
    expect(answers).to.deep.equal(Array.from({ length: 12 }, (_, index) => index % 2 === 1))
  })

  it('are computed in turns: who asks for many waits behind himself', async () => {
    const passwords = openPasswords()
    const done: string[] = []
    const ask = (caller: string) => passwords.hash('correct horse', caller).then(() => done.push(caller))
    const flood = Array.from({ length: 20 }, () => ask('flooder'))
    await Promise.all([ask('owner'), ask('another')])
    // Two of the flooder's were running, and one more of his may have its turn between those of the others.
    expect(done.filter((caller) => caller === 'flooder').length).to.be.at.most(5)
    await Promise.all(flood)
    expect(done).to.have.length(22)
  })
})
