import { expect } from 'chai'
import { failureText } from '../../../../cmd/command-parts/failure-text.ts'

describe('the text of a failure', () => {
  it('is its message, or its code if it has none', () => {
    expect(failureText(new Error('the port is taken'))).to.equal('the port is taken')
    expect(failureText(Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' }))).to.equal('ECONNREFUSED')
  })

  it('names a file that does not exist', () => {
    const missing = Object.assign(new Error("ENOENT: no such file or directory, open '/x'"), {
      code: 'ENOENT',
      path: '/x',
    })
    expect(failureText(missing)).to.equal('/x does not exist')
  })

  it('says that a folder was named, which the system does not', () => {
    const folder = Object.assign(new Error('EISDIR: illegal operation on a directory, read'), { code: 'EISDIR' })
    expect(failureText(folder)).to.equal('a folder was named instead of a file')
    expect(failureText(Object.assign(folder, { path: '/x' }))).to.equal('/x is a folder, not a file')
  })

  it('says how many connections a process needs, if Postgres gives it too few', () => {
    const refused = Object.assign(new Error('too many connections for role "baoco"'), { code: '53300' })
    expect(failureText(refused)).to.equal(
      'too many connections for role "baoco": each process of Baoco needs up to 22 (docs/postgres.md)',
    )
    const wrapped = new Error('the database could not be opened: too many connections', { cause: refused })
    expect(failureText(wrapped)).to.equal(
      'the database could not be opened: too many connections: each process of Baoco needs up to 22 (docs/postgres.md)',
    )
  })
})
