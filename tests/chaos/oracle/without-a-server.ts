/** Processes whose server is stopped keep working as far as they can, and catch up by themselves when it is back. */
import { expect } from 'chai'
import { fromVietcombank, vietcombankText } from '../../harness/bank-texts.ts'
import { eventually } from '../../harness/eventually.ts'
import type { RoleName } from '../../harness/role-processes.ts'
import type { Servers } from '../../harness/servers.ts'
import type { World } from '../../harness/world.ts'
import type { Oracle } from './oracle.ts'

interface Scene {
  world: World<Servers>
  oracle: Oracle
}

export interface WithoutServer {
  /** While it is stopped. */
  holds(scene: Scene): Promise<void>
  /** After it has started again. */
  catchesUp?(scene: Scene): Promise<void>
}

/** Notifications, each of which must be accepted at once. */
const ACCEPTED = 5

/** It must be refused, and accepted when it is sent again. Its number is above those of all oracles. */
const REFUSED = vietcombankText(9_999_999, 'DH9999999')

const accept = async ({ world, oracle }: Scene): Promise<void> => {
  for (let n = 0; n < ACCEPTED; n++) expect(await oracle.post(world.installation.personalUrl)).to.equal(true)
}

const healthOf = ({ world }: Scene, role: RoleName) => world.of(role)[0]!.health()

const statusOf = async (scene: Scene, role: RoleName): Promise<number> => (await healthOf(scene, role)).status

export const withoutKafka: WithoutServer = {
  holds: async (scene) => {
    await accept(scene)
    await eventually(async () => (await statusOf(scene, 'relay')) === 503, { what: 'a relay that is not healthy' })
    expect(await statusOf(scene, 'api')).to.equal(200)
    expect(await statusOf(scene, 'deliver')).to.equal(200)
  },
}

export const withoutPostgres: WithoutServer = {
  holds: async (scene) => {
    await accept(scene)
    await eventually(async () => (await scene.world.api('GET', '/api/transactions')).status === 503, {
      what: 'a list that is not available',
    })
    expect(await healthOf(scene, 'api'))
      .to.deep.include({ status: 200 })
      .and.to.have.nested.property('parts.read_models', 'unavailable')
    expect(await statusOf(scene, 'project')).to.equal(503)
  },
  catchesUp: async ({ world, oracle }) => {
    for (const id of oracle.transactions())
      await eventually(async () => (await world.api('GET', `/api/transactions/${id}`)).status === 200, {
        what: `transaction ${id}, accepted without the read models, in the lists`,
      })
  },
}

const postRefused = ({ world: { installation } }: Scene): Promise<Response> =>
  fetch(fromVietcombank(installation.personalUrl), { method: 'POST', body: REFUSED })

export const withoutEventStore: WithoutServer = {
  holds: async (scene) => {
    const answer = await postRefused(scene)
    expect(answer.status).to.equal(503)
    expect(await answer.json()).to.include({ error: 'STORE_UNAVAILABLE' })
    expect(await statusOf(scene, 'api')).to.equal(503)
  },
  catchesUp: async (scene) => {
    await eventually(async () => (await postRefused(scene)).status === 200, {
      what: 'the refused notification accepted',
    })
  },
}
