/** The ACLs that docs/kafka.md lists, and functions that add and remove them. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import kafkajs, { type AclEntry, type Admin } from 'kafkajs'
import { eventually } from '../eventually.ts'
import { kafkaClient } from './broker.ts'

/** kafkajs exports these names to CommonJS only. */
const { AclOperationTypes, AclPermissionTypes, AclResourceTypes, ResourcePatternTypes } = kafkajs

export interface RequiredAcl {
  role: 'relay' | 'deliver'
  operation: keyof typeof OPERATIONS
  resource: 'topic' | 'group'
  /** As in the document, for the default topic. */
  name: string
}

const OPERATIONS = {
  Write: AclOperationTypes.WRITE,
  Read: AclOperationTypes.READ,
  DescribeConfigs: AclOperationTypes.DESCRIBE_CONFIGS,
  Create: AclOperationTypes.CREATE,
}

const ROW = /^\| `(relay|deliver)` \| `(\w+)` \| (topic|group) `([\w.]+)` \|/gm

/** The rows of the table. */
export const REQUIRED_ACLS = [...readFileSync(join(process.cwd(), 'docs/kafka.md'), 'utf8').matchAll(ROW)].map(
  ([, role, operation, resource, name]) => ({ role, operation, resource, name }) as RequiredAcl,
)

const DEFAULT_TOPIC = 'baoco.transactions'

/** @param topic  the topic that the test uses instead of the default one */
export const describeAcl = ({ operation, resource, name }: RequiredAcl, topic = DEFAULT_TOPIC): string =>
  `the Kafka user needs the ACL ${operation} on the ${resource} ${name.replace(DEFAULT_TOPIC, topic)}`

const entryOf = ({ role, operation, resource, name }: RequiredAcl, topic: string, user: string): AclEntry => ({
  resourceType: resource === 'topic' ? AclResourceTypes.TOPIC : AclResourceTypes.GROUP,
  resourceName: name.replace(DEFAULT_TOPIC, topic),
  resourcePatternType: ResourcePatternTypes.LITERAL,
  principal: `User:${user || `${role}-user`}`,
  host: '*',
  operation: OPERATIONS[operation],
  permissionType: AclPermissionTypes.ALLOW,
})

/**
 * @param address  of the broker, without limits
 * @param user  who gets the ACLs; default: the user of each role
 */
export const aclsOn = (address: string, topic = DEFAULT_TOPIC, user = '') => {
  const asAdmin = async (work: (admin: Admin) => Promise<unknown>) => {
    const admin = kafkaClient(address).admin()
    await admin.connect()
    await work(admin).finally(() => admin.disconnect())
  }
  /** The broker answers before it applies a change. It lists the ACLs that it applies. */
  const untilListed = (admin: Admin, entries: readonly AclEntry[], isListed: boolean) =>
    eventually(async () => {
      const found = await Promise.all(entries.map((entry) => admin.describeAcls(entry)))
      return found.every(({ resources }) => resources.length > 0 === isListed)
    })
  const entriesOf = (acls: readonly RequiredAcl[]) => acls.map((acl) => entryOf(acl, topic, user))
  return {
    grant: (acls: readonly RequiredAcl[]) =>
      asAdmin(async (admin) => {
        await admin.createAcls({ acl: entriesOf(acls) })
        await untilListed(admin, entriesOf(acls), true)
      }),
    revoke: (acls: readonly RequiredAcl[]) =>
      asAdmin(async (admin) => {
        await admin.deleteAcls({ filters: entriesOf(acls) })
        await untilListed(admin, entriesOf(acls), false)
      }),
  }
}
