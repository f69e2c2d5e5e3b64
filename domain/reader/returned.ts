// Tests: tests/unit/domain/transaction/capture.test.ts
/**
 * Recognises the memo of money that came back: a transfer of the account's own that failed, or a refund that could not be delivered. Such a memo
 * repeats the words of the first transfer, and with them an order id that this money does not pay.
 */
import { normalise, shadowOf } from '../text.ts'

/**
 * The words of banks. `hoan tra` and `hoan tien` alone do not count: a borrower pays back with them (`hoan tra khoan vay`), and Hoàn is a name
 * (`Hoan tra tien hang`). So they name the transfer that comes back, or the reason. After any memo, ACB writes `GD`, a number and a time.
 * `So GD goc` does not count: VietinBank writes it before ordinary payments from other banks.
 */
const TRANSFER = 'gd(?! [0-9a-z]{4,20}[ -]\\d{6}[ -]\\d{2}:)|giao dich|lenh|lcc'
const RETURNED = new RegExp(
  [
    `\\bhoan (?:tra |tien |lai )+(?:cho )?(?:${TRANSFER})\\b`,
    '\\b(?:gd|giao dich|lenh)(?: chuyen tien)?(?: da| bi| duoc){0,2} hoan (?:tra|tien|lai)\\b',
    '\\bhoan (?:tra|tien|lai)\\b.{0,80}?\\b(?:ly do|do|(?<!tu )vi)[ :]*(?:sai|loi|khong|tk|tai khoan|stk)\\b',
    '\\b(?:tra lai|chuyen tra) (?:lenh|lcc)\\b|\\blcc hoan tra\\b',
    '\\brevers(?:al|ed)\\b|\\brvsl\\b|\\brefund(?:ed)?\\b|\\breturned? (?:of |for )?(?:payment|transfer|transaction|txn|trx|funds?)\\b',
  ].join('|'),
)

/**
 * Whether a credit is money that came back. A payer who writes such words only keeps their own payment from paying an order automatically.
 * @param text  the whole notification. It counts if the memo is not known.
 */
export const cameBack = (
  { transaction_type, content }: { transaction_type: 'credit' | 'debit'; content: string | null },
  text: string,
): boolean => transaction_type === 'credit' && RETURNED.test(shadowOf(normalise(content ?? text)))
