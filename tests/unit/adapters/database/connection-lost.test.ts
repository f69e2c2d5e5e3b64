import { expect } from 'chai'
import { isConnectionLost, portIn } from '../../../../adapters/database/connection-lost.ts'

const errorWith = (fields: object, message = 'x'): Error => Object.assign(new Error(message), fields)
const refusedBy = (address: string, code: string) => errorWith({ code, syscall: 'connect', address })
const refusedAt = (port: number) => errorWith({ code: 'ECONNREFUSED', syscall: 'connect', port })

describe('a lost connection to the database', () => {
  it('differs from errors of statements, of other servers and of commands', () => {
    const lost = [
      errorWith({ code: '57P01', severity: 'FATAL' }, 'terminating connection due to administrator command'),
      errorWith({ code: '57P03', severity: 'FATAL' }, 'the database system is starting up'),
      errorWith({ code: '08006' }),
      errorWith({ code: 'ECONNRESET', syscall: 'read' }),
      refusedAt(5432),
      new AggregateError([refusedAt(5432), refusedAt(5432)]),
      ...['ECONNREFUSED', 'ENOENT'].map((code) => refusedBy('/run/postgresql/.s.PGSQL.5432', code)),
      new Error('Connection terminated unexpectedly'),
      new Error('Client has encountered a connection error and is not queryable'),
    ]
    const others = [
      errorWith({ code: '57014', severity: 'ERROR' }, 'canceling statement due to user request'),
      errorWith({ code: '42P01', severity: 'ERROR' }),
      refusedAt(9092),
      refusedBy('/run/postgresql/.s.PGSQL.5433', 'ENOENT'),
      refusedBy('/run/postgresql/.s.PGSQL.5432', 'EACCES'),
      errorWith({ code: 'ENOENT', syscall: 'open', path: '/nowhere.pem' }),
      new AggregateError([]),
      new AggregateError([refusedAt(5432), refusedAt(9092)]),
      new Error('no such account: a@b.vn'),
      'a text',
    ]
    expect(lost.filter((error) => !isConnectionLost(error, 5432))).to.deep.equal([])
    expect(others.filter((error) => isConnectionLost(error, 5432))).to.deep.equal([])
  })

  it('is one to the port that the URL names, for a socket too', () => {
    for (const url of [
      'postgres://db:5433/baoco',
      'postgres://db/baoco?port=5433',
      'postgres:///baoco?host=/run/postgresql&port=5433',
      'postgres://baoco@%2Frun%2Fpostgresql:5433/baoco',
    ])
      expect(portIn(url), url).to.equal(5433)
    expect(portIn('postgres://db/baoco')).to.equal(5432)
  })
})
