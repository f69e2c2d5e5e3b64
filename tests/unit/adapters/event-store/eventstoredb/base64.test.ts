import messages from '@eventstore/db-client/generated/streams_pb.js'
import { expect } from 'chai'
import { openClient } from '../../../../../adapters/event-store/eventstoredb/client.ts'

const { ProposedMessage } = messages.BatchAppendReq

describe('the data of an event that is proposed to EventStoreDB', () => {
  before(() => openClient('esdb://127.0.0.1:1?tls=false').end())

  it('is decoded by Node, not by the protobuf library', () => {
    expect(new ProposedMessage().setData('e30=').getData_asU8()).to.be.instanceOf(Buffer)
  })

  it('is sent as it was', () => {
    for (const text of ['{}', '{"a":1}', '{"ab":1}', '{"text":"Số dư 🏦"}', JSON.stringify('x'.repeat(100_000))]) {
      const bytes = Buffer.from(text)
      const sent = new ProposedMessage().setData(bytes.toString('base64')).serializeBinary()
      expect(bytes.equals(ProposedMessage.deserializeBinary(sent).getData_asU8())).to.equal(true)
    }
  })

  it('may be bytes, or missing', () => {
    expect([...new ProposedMessage().setData(new Uint8Array([1, 2, 3])).getData_asU8()]).to.deep.equal([1, 2, 3])
    expect([...new ProposedMessage().getData_asU8()]).to.deep.equal([])
  })
})
