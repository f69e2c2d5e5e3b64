// Tests: tests/unit/domain/reader/corpus.test.ts
import { bank } from './bank.ts'
import { walletChats, walletSentences } from './wallet-sentences.ts'

export const viettelMoney = bank('VIETTELPAY', 'Viettel Money', {
  senders: ['VIETTELPAY', 'VTMONEY', 'bankplus'],
  packages: ['com.bplus.vtpay'],
  layouts: walletSentences,
  chats: walletChats,
})
