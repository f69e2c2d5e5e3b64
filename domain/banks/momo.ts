// Tests: tests/unit/domain/reader/corpus.test.ts
import { bank } from './bank.ts'
import { walletChats, walletSentences } from './wallet-sentences.ts'

export const momo = bank('MOMO', 'MoMo', {
  packages: ['com.mservice.momotransfer'],
  layouts: walletSentences,
  chats: walletChats,
})
