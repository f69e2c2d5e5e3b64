import { bank } from '../bank.ts'
import { walletSentences } from './wallet-sentences.ts'

export const momo = bank('MOMO', 'MoMo', { packages: ['com.mservice.momotransfer'], layouts: walletSentences })
