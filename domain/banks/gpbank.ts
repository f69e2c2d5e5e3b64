// Tests: tests/unit/domain/reader/corpus.test.ts
import { bank, sms } from './bank.ts'

/** Dots separate thousands. The date contains blanks (`6 6 2018`). The signed balance follows the memo. */
export const gpbank = bank('GPB', 'GPBank', {
  senders: ['GPBANK'],
  layouts: [
    sms`TK so {account} co GD luc {date:HH:mm,dd MM yyyy}. So tien: {amount}[. Ly do: {content}]. So du: {balance}`,
    sms`TK so {account} co GD luc {date:HH:mm,dd/MM/yyyy}. So tien: {amount}[. Ly do: {content}]. So du: {balance}`,
  ],
})
