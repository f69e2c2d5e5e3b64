// Tests: tests/unit/domain/reader/corpus.test.ts
/** The other party of a transfer, if the bank prints it. */

export interface Counterpart {
  counterpart_account: string | null
  counterpart_name: string | null
  counterpart_bank: string | null
}

const NOBODY: Counterpart = { counterpart_account: null, counterpart_name: null, counterpart_bank: null }

const counterpart = (account?: string, name?: string, bank?: string): Counterpart => ({
  counterpart_account: account?.trim() || null,
  counterpart_name: name?.trim() || null,
  counterpart_bank: bank?.trim() || null,
})

/** MB's `TU:`/`DEN:`: `VU MANH HAI - 0011004191177`, or a name alone, or an account alone. */
const named = (printed: string): Counterpart => {
  const [, name = '', account] = /^(.*?)[ -]{0,4}([0-9x*]{6,24})$/i.exec(printed) ?? []
  return account ? counterpart(account, name) : counterpart(undefined, printed)
}

/** VCB's memo: `CT tu <account> <name> toi <account> <name>[ tai <bank>]`. A cut memo may lack its end. */
const TRANSFER =
  /\bCT tu ([0-9A-Z]{6,20}) ([^.]{1,60}?) toi ([0-9A-Z]{6,20}) ([^.]{1,80}?)(?: tai ([A-Z][\w ]{1,30}?))?(?=[.-]|$)/i

/** BIDV's memo: `TKThe :0590900130000, tai MB. …`. The bank may be named by its SWIFT code. */
const ACCOUNT_AT = /\bTKThe ?: ?([0-9A-Z]{6,24}), ?tai ([A-Z][\w ]{1,30}?)\./i

const SENT_BY = /\bTu: ([A-Z][A-Z ]{3,40})$/

/**
 * @param printed  the other party as the layout prints it, null if it has no such field
 * @param memo  the content
 * @param direction  decides which side of a memo's `tu … toi …` is the other party
 */
export const findCounterpart = (printed: string | null, memo: string, direction: 'credit' | 'debit'): Counterpart => {
  if (printed) return named(printed)
  const at = ACCOUNT_AT.exec(memo)
  if (at) return counterpart(at[1], undefined, at[2])
  const transfer = TRANSFER.exec(memo)
  if (transfer) {
    const [, from, sender, to, receiver, bank] = transfer
    return direction === 'credit' ? counterpart(from, sender) : counterpart(to, receiver, bank)
  }
  const sender = direction === 'credit' && SENT_BY.exec(memo)
  return sender ? counterpart(undefined, sender[1]) : NOBODY
}
