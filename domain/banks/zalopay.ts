// Tests: tests/unit/domain/reader/corpus.test.ts
import { bank } from './bank.ts'
import { walletChats, walletSentences } from './wallet-sentences.ts'

export const zalopay = bank('ZALOPAY', 'ZaloPay', {
  packages: ['vn.com.vng.zalopay'],
  layouts: walletSentences,
  chats: walletChats,
})
