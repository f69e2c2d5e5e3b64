import { expect } from 'chai'
import fc from 'fast-check'
import { BodiesInFlight, HeldBody } from '../../../../../adapters/http/middleware/bodies-in-flight.ts'

const MB = 1024 * 1024

const begun = (bodies: BodiesInFlight, account: number | null): HeldBody => {
  const body = new HeldBody(bodies)
  body.begin(account, () => {})
  return body
}

describe('the bytes of bodies in flight', () => {
  it('never exceed 64 MB, and are zero when all bodies are released', () =>
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.option(fc.nat(12)), fc.array(fc.nat(3 * MB), { maxLength: 6 })), { maxLength: 60 }),
        (given) => {
          const bodies = new BodiesInFlight()
          const held = given.map(([account, pieces]) => {
            const body = begun(bodies, account)
            for (const piece of pieces) body.take(piece)
            expect(bodies.size).to.be.at.most(64 * MB)
            return body
          })
          held.forEach((body) => body.release())
          expect(bodies.size).to.equal(0)
        },
      ),
    ))

  it('are freed if a body does not fit, and the body gets no more room', () => {
    const bodies = new BodiesInFlight()
    const body = begun(bodies, 1)
    expect(body.take(10 * MB)).to.equal(true)
    expect(body.take(3 * MB)).to.equal(false)
    expect(bodies.size).to.equal(0)
    expect(body.take(1)).to.equal(false)
    body.release()
    expect(bodies.size).to.equal(0)
  })

  it('leave room for short bodies beside long ones, and for accounts beside anonymous callers', () => {
    const bodies = new BodiesInFlight()
    for (let account = 1; begun(bodies, account).take(9 * MB); account++);
    expect(begun(bodies, 100).take(64 * 1024)).to.equal(true)
    expect(begun(bodies, 100).take(64 * 1024 + 1), 'a long one').to.equal(true)
    while (begun(bodies, null).take(64 * 1024));
    expect(begun(bodies, 100).take(64 * 1024)).to.equal(true)
  })

  it('are at most 8 MB from anonymous callers and 16 MB in short bodies of accounts, until one is released', () => {
    for (const [account, most] of [
      [() => null, 8],
      [(n: number) => n % 20, 16],
    ] as const) {
      const bodies = new BodiesInFlight()
      const held = Array.from({ length: (most * MB) / (64 * 1024) }, (_, n) => begun(bodies, account(n)))
      for (const body of held) expect(body.take(64 * 1024)).to.equal(true)
      expect(begun(bodies, account(0)).take(1), `${most} MB`).to.equal(false)
      held[0]!.release()
      expect(begun(bodies, account(1)).take(64 * 1024)).to.equal(true)
    }
  })

  it('of one account are at most 12 MB', () => {
    const bodies = new BodiesInFlight()
    expect(begun(bodies, 1).take(10 * MB)).to.equal(true)
    expect(begun(bodies, 1).take(3 * MB)).to.equal(false)
    expect(begun(bodies, 2).take(3 * MB)).to.equal(true)
  })

  it('are cut off if a long body grows by less than 16 KB in an interval', () => {
    const bodies = new BodiesInFlight()
    const body = new HeldBody(bodies)
    let cuts = 0
    body.begin(1, () => cuts++)
    body.take(100 * 1024)
    body.look()
    body.take(16 * 1024)
    body.look()
    expect(cuts).to.equal(0)
    body.take(16 * 1024 - 1)
    body.look()
    expect(cuts).to.equal(1)
    body.release()
  })

  it('are watched while a long body arrives, and only then', () => {
    const { setInterval, clearInterval } = globalThis
    const watching = new Set<() => void>()
    const begin = (look: () => void) => ({ unref: () => (watching.add(look), look) })
    globalThis.setInterval = begin as unknown as typeof setInterval
    globalThis.clearInterval = ((look: () => void) => watching.delete(look)) as unknown as typeof clearInterval
    try {
      const bodies = new BodiesInFlight()
      let cuts = 0
      const [short, slow, whole] = [1, 2, 3].map((account) => {
        const body = new HeldBody(bodies)
        body.begin(account, () => cuts++)
        return body
      })
      const intervalEnds = () => watching.forEach((look) => look())
      short!.take(64 * 1024)
      expect(watching.size).to.equal(0)
      for (const body of [slow!, whole!]) body.take(65 * 1024)
      expect(watching.size).to.equal(1)
      whole!.arrived()
      // It is decompressed.
      whole!.take(65 * 1024)
      intervalEnds()
      intervalEnds()
      expect(cuts, 'only the slow one').to.equal(1)
      slow!.release()
      expect(watching.size).to.equal(0)
      short!.take(1)
      expect(watching.size, 'begins again').to.equal(1)
    } finally {
      Object.assign(globalThis, { setInterval, clearInterval })
    }
  })
})
