import { expect } from 'chai'
import type { StoredEvent } from '../../../../domain/parse-event.ts'
import { eraseDeleted } from '../../../../workflows/reactors/erase-deleted.ts'

describe('the erasure of a deleted transaction', () => {
  const erasedIfLast = async (type: string): Promise<string[]> => {
    const erased: string[] = []
    const { answers } = eraseDeleted({
      read: async () => [[{ type } as StoredEvent]],
      erase: async (stream) => void erased.push(stream),
    })
    await answers['TransactionDeleted']!({ stream: 'transaction-1' } as never)
    return erased
  }

  it('leaves the record of the deletion, and erases nothing if another event would stay', async () => {
    expect(await erasedIfLast('TransactionDeleted')).to.deep.equal(['transaction-1'])
    expect(await erasedIfLast('WebhookAttempted')).to.deep.equal([])
  })
})
