import { bank } from '../bank.ts'
import { walletSentences } from './wallet-sentences.ts'

export const zalopay = bank('ZALOPAY', 'ZaloPay', { packages: ['vn.com.vng.zalopay'], layouts: walletSentences })
