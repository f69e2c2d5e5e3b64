/**
 * Tables in mails that many banks send, in Vietnamese, in English or in both, for banks whose own tables are not known. All report outgoing
 * money: a credit card's payment, and the receipt of a transfer, which goes to the payer.
 */
import { mailTable, type MailTable } from '../banks/bank.ts'

const SHARED = {
  amount: [
    'So tien', 'So tien giao dich', 'So tien GD', 'So tien chuyen', 'So tien thanh toan', 'Gia tri', 'Gia tri giao dich', 'Amount',
    'Transaction amount', 'Transfer amount', 'Payment amount', 'Transaction value',
  ],
  date: [
    'Ngay', 'Ngay giao dich', 'Ngay GD', 'Thoi gian', 'Thoi gian giao dich', 'Ngay, gio giao dich', 'Ngay gio giao dich', 'Vao luc', 'Date',
    'Time', 'Transaction date', 'Transaction time', 'Transaction date and time', 'Trans. Date, Time', 'Date and time', 'Date/time',
  ],
  ref: [
    'Ma giao dich', 'Ma GD', 'So giao dich', 'Ma tham chieu', 'So tham chieu', 'So lenh giao dich', 'Transaction ID', 'Transaction no',
    'Transaction number', 'Transaction code', 'Reference', 'Reference no', 'Reference number', 'Ref no', 'Order number', 'Ma chuan chi',
    'Approval code', 'Authorization code',
  ],
  direction: ['Loai giao dich', 'Loai GD', 'Giao dich:', 'Transaction type'],
  status: [
    'Trang thai', 'Trang thai giao dich', 'Tinh trang', 'Tinh trang giao dich', 'Ket qua', 'Ket qua giao dich', 'Status', 'Result',
    'Transaction status', 'Status of transaction', 'Transaction result',
  ],
  end: [
    'Cam on', 'Tran trong', 'Thank you', 'Best regards', 'Sincerely', 'Kinh thu', 'Luu y', 'Note:', 'Moi thac mac', 'Neu Quy khach',
    'Neu khong', 'De biet them', 'If you', 'For more', 'For any', 'Please contact', 'Vui long', 'Hotline', 'Dear',
  ],
} // prettier-ignore

/** The account of the payer. In a card's mail, it is the one that was charged. */
const PAYERS_ACCOUNT = [
  'Tai khoan nguon', 'Tai khoan trich no', 'Tai khoan chuyen', 'Tu tai khoan', 'So tai khoan nguon', 'So tai khoan chuyen',
  'Tai khoan chuyen tien', 'Tai khoan nguoi chuyen', 'Debit account', 'From account', 'Source account', 'Sender account',
] // prettier-ignore

const FEES = [
  'Phi', 'Phi giao dich', 'So tien phi', 'Loai phi', 'Thue', 'VAT', 'Fee', 'Transaction fee', 'Charge', 'Charge amount', 'Charge code', 'Tax',
  'Tong so tien', 'Tong tien', 'Total', 'Total amount', 'So tien quy doi', 'Converted amount', 'Billing amount', 'So tien bang chu',
  'Amount in words',
] // prettier-ignore

const CARD = mailTable(
  '(?:the tin dung|credit card|so the|card number|card no)',
  {
    ...SHARED,
    account: ['So the', 'The so', 'So the tin dung', 'Card', 'Card no', 'Card number', 'Credit card number', 'Credit card no', 'Credit card'],
    from: PAYERS_ACCOUNT,
    other: ['Loai the', 'Chu the', 'Ten chu the', 'Card type', 'Cardholder', 'Cardholder name', 'Cardholder’s name'],
    content: [
      'Dia diem', 'Dia diem giao dich', 'Diem giao dich', 'Noi giao dich', 'Tai', 'Don vi chap nhan the', 'Ten don vi chap nhan the', 'DVCNT',
      'Merchant', 'Merchant name', 'Transaction location', 'Transaction place', 'Location', 'Noi dung', 'Noi dung giao dich', 'Mo ta', 'Dien giai',
      'Description', 'Details', 'Transaction details', 'Transaction description',
    ],
    fee: [
      ...FEES, 'Han muc', 'Han muc tin dung', 'Han muc con lai', 'Han muc kha dung', 'Han muc kha dung con lai', 'Du no', 'Du no hien tai',
      'Available limit', 'Available credit limit', 'Available credit', 'Remaining limit', 'Credit limit', 'Available balance',
      'Outstanding balance', 'So du kha dung', 'So du',
    ],
  },
  { direction: 'debit', byLines: true },
) // prettier-ignore

const RECEIPT = mailTable(
  '(?:bien lai|bien nhan|receipt|chuyen tien|chuyen khoan|fund transfer|money transfer|payment order)',
  {
    ...SHARED,
    from: PAYERS_ACCOUNT,
    from_name: [
      'Ten nguoi chuyen', 'Ten nguoi chuyen tien', 'Nguoi chuyen', 'Nguoi chuyen tien', 'Sender', 'Sender name', 'Remitter', 'Remitter name',
      'Remitter’s name', "Remitter's name", 'Ordering customer',
    ],
    from_bank: ['Ngan hang chuyen', 'Sender bank', 'Sending bank', 'Remitting bank'],
    to: [
      'Tai khoan nguoi huong', 'Tai khoan huong', 'Tai khoan thu huong', 'Tai khoan nguoi thu huong', 'Tai khoan nhan',
      'Tai khoan nguoi nhan', 'So tai khoan nhan', 'So tai khoan thu huong', 'So tai khoan nguoi nhan', 'So tai khoan/So the thu huong', 'Den tai khoan', 'Toi tai khoan',
      'Credit account', 'To account', 'Beneficiary account', 'Beneficiary account number', 'Recipient account', 'Receiver account',
    ],
    to_name: [
      'Ten nguoi huong', 'Ten nguoi thu huong', 'Nguoi huong', 'Nguoi thu huong', 'Nguoi nhan', 'Ten nguoi nhan', 'Beneficiary',
      'Beneficiary name', 'Recipient', 'Recipient name', 'Receiver', 'Receiver name',
    ],
    to_bank: [
      'Ngan hang huong', 'Ngan hang thu huong', 'Ngan hang nhan', 'Ten ngan hang huong', 'Ten ngan hang thu huong', 'Ngan hang nguoi nhan',
      'Beneficiary bank', 'Beneficiary bank name', 'Recipient bank', 'Receiving bank', 'To bank',
    ],
    fee: FEES,
    other: ['So tien ghi co', 'Credit amount', 'Kenh', 'Kenh giao dich', 'Channel', 'Transaction channel'],
    content: [
      'Noi dung', 'Noi dung chuyen tien', 'Noi dung chuyen khoan', 'Noi dung giao dich', 'Noi dung thanh toan', 'Dien giai', 'Mo ta',
      'Loi nhan', 'Details', 'Details of payment', 'Payment details', 'Description', 'Content', 'Remark', 'Remarks', 'Message',
      'Transfer content', 'Transaction content', 'Transaction remark',
    ],
  },
  { direction: 'debit', byLines: true },
) // prettier-ignore

/**
 * Words that must not stand in the subject and above the table, in shadow form: the money came back, or the movement is planned, asked for, or
 * another one than it seems. A name such as `HUY` may stand there too.
 */
export const NOT_DONE =
  /dat lich|len lich|dinh ky|hen gio|\bschedul|standing order|\botp\b|ma xac (?:thuc|nhan)|vui long (?:xac nhan|duyet)|khoi tao|nhac (?:no|han|thanh toan)|\bremind|tra gop|\binstal|\bdu no\b|hoan tra|duoc hoan(?! (?:tat|thanh))|hoan tien|\brefund|\brevers|declin|reject/

export interface AnyBankMail {
  table: MailTable
  /** Fields that the mail must have, beside the amount. */
  needs: readonly ('account' | 'from' | 'to')[]
}

/** Tried in this order. The receipt comes first, because it may name the card that paid. */
export const ANY_BANK_MAILS: readonly AnyBankMail[] = [
  { table: RECEIPT, needs: ['from', 'to'] },
  { table: CARD, needs: ['account'] },
]
