/**
 * The nodes of a cluster, as gossip names them: the service by which the client finds its node. A server that runs alone names
 * itself, maybe by an address that leads nowhere from here, so it is reached where we are connected.
 */
import type { EventStoreDBClient } from '@eventstore/db-client'
import gossipService from '@eventstore/db-client/generated/gossip_grpc_pb.js'
import gossipMessages, { type ClusterInfo } from '@eventstore/db-client/generated/gossip_pb.js'
import sharedMessages from '@eventstore/db-client/generated/shared_pb.js'
import type { Connection } from './connection.ts'

export interface Node {
  host: string
  port: number
  isAlive: boolean
}

/** What the client has but does not offer: other services on its channel. */
interface Inside {
  createGRPCClient<Client>(service: new (...args: never[]) => Client): Promise<Client>
}

const { MANAGER } = gossipMessages.MemberInfo.VNodeState

/** Every node that keeps events; none where the server runs alone. */
export const nodesOf = async (connection: Connection): Promise<Node[]> => {
  const members = await connection
    .call(async ({ client }) => (await gossip(client)).getMembersList())
    .catch(whereNoneIs)
  if (members.length < 2) return []
  return members
    .filter((member) => member.getState() !== MANAGER)
    .map((member) => {
      const endpoint = member.getHttpEndPoint()
      return { host: endpoint?.getAddress() ?? '', port: endpoint?.getPort() ?? 0, isAlive: member.getIsAlive() }
    })
}

/** gRPC: unimplemented. */
const UNIMPLEMENTED = 12

/** A server without gossip is alone. */
const whereNoneIs = (error: unknown): [] => {
  if ((error as { code?: unknown }).code === UNIMPLEMENTED) return []
  throw error
}

const gossip = async (client: EventStoreDBClient): Promise<ClusterInfo> => {
  const service = await (client as unknown as Inside).createGRPCClient(gossipService.GossipClient)
  return new Promise((resolve, reject) => {
    service.read(new sharedMessages.Empty(), (error, info) => (error ? reject(error) : resolve(info)))
  })
}

/** The url of one node of the cluster that a url names, with the same credentials and options. */
export const urlOfNode = (url: string, { host, port }: Pick<Node, 'host' | 'port'>): string =>
  url.replace(/^(\w+)(?:\+discover)?:\/\/([^@/?]*@)?[^/?]*/, (_, scheme: string, credentials = '') => {
    const address = host.includes(':') ? `[${host}]` : host
    return `${scheme}://${credentials as string}${address}:${port}`
  })
