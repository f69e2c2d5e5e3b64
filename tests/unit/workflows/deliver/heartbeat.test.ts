import { expect } from 'chai'
import { openHeartbeat, type Heartbeat } from '../../../../workflows/deliver/heartbeat.ts'
import type { DeliveryQueue, OtherWorker } from '../../../../workflows/deliver/queue.ts'

/** A heartbeat that sees the workers that the test names. */
const openHeart = ({
  soleWorker = false,
  now = new Date(),
  every = 5_000,
  onBeat = (): void | Promise<void> => {},
  maySweep = () => Promise.resolve(true),
} = {}) => {
  const sweeps: (readonly string[])[] = []
  let others: OtherWorker[] = []
  let isAway = false
  const queue = {
    sweep: (dead: readonly string[]) => Promise.resolve(void sweeps.push(dead)),
    beat: async () => {
      await onBeat()
      return isAway ? Promise.reject(new Error('away')) : { now, others, isNew: false }
    },
  } as unknown as DeliveryQueue
  const heart = openHeartbeat({ queue, worker: 'me', soleWorker, every, maySweep })
  return {
    heart,
    sweeps,
    sees: async (...seen: OtherWorker[]) => {
      others = seen
      await heart.beat()
      return heart.dead()
    },
    misses: async () => {
      isAway = true
      await heart.beat().catch(() => {})
      isAway = false
    },
  }
}

const other = (beat: number, ended = false): OtherWorker => ({ worker: 'other', beat, ended })

describe('the heartbeat', () => {
  it('considers a worker dead after four own beats without a beat of that worker', async () => {
    const { sees } = openHeart()
    for (let beat = 0; beat < 4; beat++) expect(await sees(other(7))).to.deep.equal([])
    expect(await sees(other(7))).to.deep.equal(['other'])
  })

  it('considers a worker that beats alive, even after it was considered dead', async () => {
    const { sees } = openHeart()
    for (let beat = 0; beat < 10; beat++) expect(await sees(other(beat))).to.deep.equal([])
    for (let beat = 0; beat < 4; beat++) await sees(other(9))
    expect(await sees(other(10))).to.deep.equal([])
  })

  it('counts no missed beats across an outage', async () => {
    const { sees, misses } = openHeart()
    for (let beat = 0; beat < 4; beat++) await sees(other(7))
    await misses()
    for (let beat = 0; beat < 3; beat++) expect(await sees(other(7))).to.deep.equal([])
  })

  it('considers a worker dead at once if it has ended', async () => {
    expect(await openHeart().sees(other(7, true))).to.deep.equal(['other'])
  })

  it('as the sole worker considers every worker at the start dead until it beats', async () => {
    const { sees } = openHeart({ soleWorker: true })
    expect(await sees(other(7))).to.deep.equal(['other'])
    expect(await sees(other(8))).to.deep.equal([])
  })

  it('as the sole worker does not consider a worker dead that appears later', async () => {
    const { sees } = openHeart({ soleWorker: true })
    expect(await sees()).to.deep.equal([])
    expect(await sees(other(7))).to.deep.equal([])
    // The two heartbeats are not synchronized.
    expect(await sees(other(7))).to.deep.equal([])
  })

  it('knows when it last found a worker dead', async () => {
    const now = new Date('2026-03-01T00:00:00Z')
    const { heart, sees } = openHeart({ now })
    await sees(other(7))
    expect(heart.lostUntil()).to.equal(-Infinity)
    await sees(other(7, true))
    expect(heart.lostUntil()).to.equal(now.getTime())
    now.setFullYear(2027)
    await sees(other(7, true))
    expect(heart.lostUntil()).to.equal(Date.parse('2026-03-01T00:00:00Z'))
  })

  it('drops a worker that is no longer listed', async () => {
    const { sees } = openHeart()
    expect(await sees(other(7, true))).to.deep.equal(['other'])
    expect(await sees()).to.deep.equal([])
  })

  it('is silent until its first beat', async () => {
    const { heart, sees } = openHeart()
    expect(heart.isSilent()).to.equal(true)
    await sees()
    expect(heart.isSilent()).to.equal(false)
  })

  it('uses the clock of the database', async () => {
    const { heart, sees } = openHeart({ now: new Date(Date.now() + 3_600_000) })
    await sees()
    expect(heart.now().getTime() - Date.now()).to.be.within(3_599_000, 3_601_000)
  })

  it('takes the time of the database for that of the middle of its beat', async () => {
    const { now } = performance
    performance.now = () => 1_000
    const time = new Date('2026-03-01T00:00:00Z')
    const { heart, sees } = openHeart({ now: time, onBeat: () => void (performance.now = () => 1_400) })
    try {
      await sees()
      expect(heart.now().getTime() - time.getTime()).to.equal(200)
    } finally {
      performance.now = now
    }
  })

  it('names the earlier one of the times of the database and of the machine', async () => {
    for (const [ahead, expected] of [
      [3_600_000, 0],
      [-3_600_000, -3_600_000],
    ] as const) {
      const { heart, sees } = openHeart({ now: new Date(Date.now() + ahead) })
      await sees()
      expect(heart.earliestNow().getTime() - Date.now()).to.be.within(expected - 1_000, expected + 1_000)
    }
  })

  it('knows whether another worker is alive', async () => {
    const { heart, sees } = openHeart()
    await sees()
    expect(heart.hasOthers()).to.equal(false)
    await sees(other(7))
    expect(heart.hasOthers()).to.equal(true)
    await sees(other(7, true))
    expect(heart.hasOthers()).to.equal(false)
  })

  it('is silent from the time of two beats on', async () => {
    const { heart, sees } = openHeart()
    await sees()
    const { now } = performance
    const [began, wall] = [now.call(performance), Date.now()]
    const dateNow = Date.now
    const after = (milliseconds: number): boolean => {
      performance.now = () => began + milliseconds
      Date.now = () => wall + milliseconds
      return heart.isSilent()
    }
    try {
      expect([after(9_900), after(10_100)]).to.deep.equal([false, true])
    } finally {
      performance.now = now
      Date.now = dateNow
    }
  })

  describe('sweeps expired rows', () => {
    const { now } = performance
    afterEach(() => void (performance.now = now))

    /** Ten beats. @param minutes  that pass at each look at the clock */
    const run = (heart: Heartbeat, minutes: number): Promise<void> => {
      let looks = 0
      performance.now = () => now.call(performance) + minutes * 61_000 * looks++
      const stop = new AbortController()
      let left = 10
      const beat = async (): Promise<void> => {
        await heart.beat()
        if (--left === 0) stop.abort()
      }
      return heart.run(beat, stop.signal, () => {})
    }

    it('once a minute', async () => {
      const { heart, sweeps } = openHeart({ every: 1 })
      await run(heart, 0)
      expect(sweeps).to.be.empty
      await run(heart, 1)
      expect(sweeps).not.to.be.empty
    })

    it('only if it may', async () => {
      const { heart, sweeps } = openHeart({ every: 1, maySweep: () => Promise.resolve(false) })
      await run(heart, 1)
      expect(sweeps).to.be.empty
    })

    it('not after a stop', async () => {
      const answers: ((may: boolean) => void)[] = []
      const maySweep = () => new Promise<boolean>((resolve) => answers.push(resolve))
      const { heart, sweeps } = openHeart({ every: 1, maySweep })
      await run(heart, 1)
      expect(answers).not.to.be.empty
      for (const answer of answers) answer(true)
      await new Promise(setImmediate)
      expect(sweeps).to.be.empty
    })
  })

  it('does not jump with the clock of the machine, because a retry scheduled meanwhile would wait that much longer', async () => {
    const { heart, sees } = openHeart()
    await sees()
    const { now } = Date
    const before = heart.now().getTime()
    Date.now = () => now() + 3_600_000
    try {
      expect(heart.now().getTime() - before).to.be.within(0, 1_000)
    } finally {
      Date.now = now
    }
  })

  it('does not judge a worker by beats missed in its own sleep: live workers stay alive, and dead ones stay dead', async () => {
    const { now } = Date
    const alive = openHeart()
    for (let beat = 0; beat < 4; beat++) await alive.sees(other(7))
    const dead = openHeart()
    for (let beat = 0; beat < 5; beat++) await dead.sees(other(7))
    Date.now = () => now() + 8 * 3_600_000
    try {
      expect(await alive.sees(other(7))).to.deep.equal([])
      expect(await dead.sees(other(7))).to.deep.equal(['other'])
    } finally {
      Date.now = now
    }
  })

  it('was silent if the machine slept before the answer to its beat came', async () => {
    const { now } = Date
    let sleeps = false
    const { heart, sees } = openHeart({
      onBeat: () => {
        if (sleeps) Date.now = () => now() + 8 * 3_600_000
      },
    })
    await sees()
    expect((await heart.beat()).wasSilent).to.equal(false)
    sleeps = true
    try {
      expect((await heart.beat()).wasSilent).to.equal(true)
    } finally {
      Date.now = now
    }
  })

  /** The monotonic clock stands still while the machine sleeps, and does not follow a clock that is set. */
  for (const [what, why, ms] of [
    ['the clock of the machine was set back', 'the clock of the database may be the same', -3_600_000],
    ['a sleep of the machine', 'its time is wrong and others may have its claims', 8 * 3_600_000],
  ] as const)
    it(`is silent after ${what} until its next beat, because ${why}`, async () => {
      const { heart, sees } = openHeart()
      await sees()
      const { now } = Date
      Date.now = () => now() + ms
      try {
        expect(heart.isSilent()).to.equal(true)
        await sees()
        expect(heart.isSilent()).to.equal(false)
      } finally {
        Date.now = now
      }
    })
})
