import { createRequire } from 'node:module'
import { expect } from 'chai'
import { forDriver } from '../../../../adapters/database/driver-url.ts'

const ofDriver = createRequire(createRequire(import.meta.url).resolve('pg'))
const parse = ofDriver('pg-connection-string') as (url: string) => { user: string; password: string; database: string }

describe('forDriver', () => {
  const namesIn = (url: string) => {
    const { user, password, database } = parse(forDriver(url))
    return [user, password, database]
  }

  it('lets a database, a user and a password contain any character that is encoded', () => {
    for (const name of ['shop@prod', 'a/b', 'a+b', 'a&b=c', 'a:b;c,d$e', '50%', '%40', 'my shop', "thẻ 'x'"]) {
      const coded = encodeURIComponent(name)
      expect(namesIn(`postgres://${coded}:${coded}@db/${coded}?sslmode=disable`)).to.deep.equal([name, name, name])
    }
  })

  it('keeps the codes of a password beside a space or a lone %', () => {
    expect(namesIn('postgres://baoco:a%2Fb%C3%BC@db/my shop')).to.deep.equal(['baoco', 'a/bü', 'my shop'])
    expect(namesIn('postgres://baoco:%C3%BC100%@db/a%2Fb')).to.deep.equal(['baoco', 'ü100%', 'a/b'])
  })

  it('changes no other URL', () => {
    for (const url of [
      'postgres://baoco:a%40b@db:5432/baoco?sslmode=require&options=-c%20geqo%3Doff',
      'postgres://baoco@%2Frun%2Fpostgresql/baoco',
      'postgres:///baoco?host=%2Frun',
      'postgres://db',
    ])
      expect(forDriver(url)).to.equal(url)
  })
})
