// Tests: tests/unit/domain/reader/corpus.test.ts
/** Labels that any bank may print, and the words that make a movement of money doubtful. They have no diacritics, like shadows. */
import { compileLabels } from './labels.ts'

/** `other` and `fee` label values that do not belong to this account, or are not the amount of this transaction. */
export const ANY_BANK = compileLabels({
  account: [
    'TK', 'STK', 'So TK', 'TK so', 'Tai khoan', 'So tai khoan', 'Tai khoan so', 'Tai khoan thanh toan', 'TK thanh toan', 'TKTT', 'SDTK',
    'Tai khoan nguon', 'Tai khoan trich no', 'Acc', 'Acc no', 'Account', 'Account no', 'Account number', 'A/C', 'A/C no', 'Acct', 'Acct no',
  ],
  other: [
    'Tai khoan nhan', 'TK nhan', 'Tai khoan thu huong', 'TK thu huong', 'Tai khoan nguoi huong', 'TK doi ung', 'Tai khoan doi ung',
    'tu TK', 'den TK', 'toi TK', 'tu tai khoan', 'den tai khoan', 'toi tai khoan', 'Tai khoan chuyen', 'TK chuyen', 'Tai khoan gui',
    'Nguoi nhan', 'Nguoi gui', 'Nguoi chuyen', 'Nguoi huong', 'Nguoi thu huong', 'Ten nguoi gui', 'Ten nguoi nhan', 'Ten nguoi chuyen',
    'Ten nguoi huong', 'Chu tai khoan', 'Chu TK', 'Debit account', 'Credit account', 'Payee', 'Payer', 'Sender', 'Beneficiary', 'Tu:', 'Den:',
  ],
  amount: [
    'So tien', 'So tien GD', 'So tien giao dich', 'GD:', 'GD', 'Giao dich', 'GD moi nhat', 'Giao dich moi nhat', 'PS', 'PS:', 'P/S', 'Phat sinh',
    'Thay doi', 'So tien thay doi', 'Bien dong', 'Gia tri', 'Gia tri giao dich', 'Amount', 'Transaction amount', 'Change', 'Transaction:', 'Trans:', 'Txn:',
  ],
  balance: [
    'SD', 'SDC', 'SDKD', 'SD KD', 'SD cuoi', 'SD moi', 'SD hien tai', 'SD kha dung', 'SD TK', 'SD sau GD', 'SODU', 'SODU TK', 'So du',
    'So du cuoi', 'So du cuoi ky', 'So du moi', 'So du hien tai', 'So du hien tai cua tai khoan', 'So du hien tai cua tai khoan thanh toan', 'So du kha dung', 'So du kha dung hien tai', 'So du con lai', 'So du vi',
    'So du TK', 'So du tai khoan', 'So du TK sau GD', 'So du sau GD', 'So du sau giao dich', 'So du tai khoan sau giao dich',
    'Balance', 'Available balance', 'Current balance', 'Closing balance', 'Ending balance', 'New balance', 'Account balance', 'Bal', 'Avail bal', 'Avl bal',
    'Available bal', 'Current bal', 'New bal',
  ],
  opening: [
    'SD dau', 'SD dau ky', 'SD truoc GD', 'SD truoc', 'So du dau', 'So du dau ky', 'So du truoc', 'So du truoc GD', 'So du truoc giao dich',
    'Opening balance', 'Previous balance',
  ],
  fee: [
    'Phi', 'Phi GD', 'Phi giao dich', 'Phi dich vu', 'So tien phi', 'Tong phi', 'Thue', 'VAT', 'Thue/Phi', 'Fee', 'Charge', 'Tax',
    'Han muc', 'Han muc con lai', 'Han muc kha dung', 'Available limit', 'Credit limit', 'Phong toa', 'So tien phong toa',
  ],
  date: [
    'Luc', 'Vao luc', 'Thoi gian', 'Thoi gian GD', 'Thoi gian giao dich', 'Ngay', 'Ngay GD', 'Ngay giao dich', 'Ngay gio giao dich',
    'Date', 'Time', 'Trans. date', 'Transaction date', 'Transaction time',
  ],
  ref: [
    'Ma GD', 'Ma giao dich', 'So GD', 'So giao dich', 'Ma tham chieu', 'So tham chieu', 'So but toan', 'So CT', 'Transaction ID',
    'Transaction no', 'Ref no', 'Reference', 'Reference no', 'Order number',
  ],
  content: [
    'ND', 'ND GD', 'ND CK', 'N/dung', 'Noi dung', 'Noi dung GD', 'Noi dung giao dich', 'Noi dung CK', 'Noi dung chuyen khoan',
    'Noi dung chuyen tien', 'Noi dung thanh toan', 'Mo ta', 'Ly do', 'Dien giai', 'Loi nhan', 'Ghi chu', 'Ref', 'Detail', 'Details',
    'Transaction details', 'Transaction content', 'Content', 'Description', 'Desc', 'Remark', 'Remarks', 'Message', 'Memo', 'Narrative',
  ],
  direction: ['Loai giao dich', 'Loai GD', 'Transaction type', 'Type:'],
  status: ['Trang thai', 'Tinh trang', 'Ket qua', 'Status'],
  end: [
    'LH', 'Lien he', 'Hotline', 'Tong dai', 'Tran trong', 'Cam on', 'De duoc ho tro', 'Moi thac mac', 'Quy khach vui long', 'QK vui long',
    'Chi tiet LH', 'Truy cap',
  ],
}) // prettier-ignore

/** A syllable of Vietnamese, such as all names have. */
const SYLLABLE = '[b-df-hj-np-tvx]{0,3}[aeiouy]{1,3}(?:ch?|ng?|nh|[mpt])?'

/**
 * A word that is a name without its diacritics (`NGUYEN QUANG HUY`, `TRAN VAN LOI`) is in doubt unless another syllable of a name may precede it.
 * @param before  syllables after which the bank writes it · @param behind  words before which it does
 */
const unlessName = (word: string, before: string, behind: string): string =>
  `\\b${word}\\b(?:(?= (?:${behind})\\b)|(?<!(?<![a-z0-9])(?!(?:${before}) )${SYLLABLE} ${word}))`
const BEFORE =
  'da|bi|duoc|se|dang|can|xin|tu|dong|dich|cau|don|hang|hanh|tien|khoan|toan|nap|rut|thai|qua|khach|mua|ban|dung|hoan|vua|chua|vi|lenh|thong|vnpay|momo'

/**
 * Words for a future, failed or cancelled movement, for a debt, or for money that was only blocked or released, so no money moved. And words for
 * a sum that is not a movement: a total, an estimate, a rate, or a comparison.
 */
export const DOUBT = new RegExp(
  [
    '(?:khong|chua) thanh cong|that bai|tu choi|khong du|khong hop le|\\bse (?:duoc|bi|tru|cong|nhan|thanh toan|trich|thuc hien|chuyen|ghi|tu dong|hach toan)|du kien|han muc|lai suat',
    'dang (?:duoc )?(?:xu ly|cho)|dang bi (?:tam|treo|giu|dung)\\b|\\bnot (?:yet )?(?:been )?credited|cho (?:xu ly|duyet|xac nhan)|\\byeu cau\\b|sao ke|\\bdu no\\b|toi thieu|den han|qua han|nhac (?:no|han)|hoan tac|thong bao huy',
    unlessName('huy', BEFORE, 'bo|gd|giao dich|lenh|don|yeu cau|dich vu|dang ky'),
    unlessName(
      'loi',
      `${BEFORE}|do|co|gap|ma|bao|su|ly|ra|ve|hien|mang|sinh|quyen|phuc|thuan|tro|sua`,
      'he thong|ky thuat|gd|giao dich|ket noi|xu ly|duong truyen|mang|suat|ich|nhan|chuc|nhuan',
    ),
    '(?:phong|giai) toa|tam giu|\\botp\\b|xac thuc|uu dai|khuyen mai|trung thuong|voucher',
    '\\bfail|declin|unsuccess|pending|reject|cancel|statement|minimum|overdue|\\bdue\\b',
    '(?:dat|len) lich|hen gio|co the (?:nhan|duoc|bi)|da (?:duoc |bi )?hoan(?! (?:tat|thanh))\\b|\\b(?:on )?hold\\b|\\brevers|schedul|estimat',
    'tong (?:ghi (?:co|no)|phat sinh|thu|chi|so tien|tien)|uoc tinh|tam tinh|so voi',
    '(?:vnd|\\bd|\\dd|dong) ?/ ?(?:thang|ngay|nam|quy|lan|gd|giao dich|chi|luong|month|day|year)(?![a-z])',
    'tam (?:thoi|ghi)|(?:^|[^a-z ] ?|\\b(?:bi|da|dang|duoc|tien) )tam khoa\\b|het han|den ky (?:han|tra|thu|thanh|dao|tinh)|(?<!(?:qk|khach|ban|toi) )khong (?:duoc )?thuc hien|(?:de nghi|dang|bi) tra soat|doi soat|(?:chuyen|nhan|nap) nham\\b|tai tuc',
    '\\bsap (?:nhan|duoc|co)\\b|nhan ngay\\b(?! \\d)|du (?:dieu kien|thu)\\b|ngay mai|\\btruoc (?:\\d{1,2}[h:]\\d{0,2} )?(?:ngay )?\\d{1,2}/|(?:dat|dang ky) lenh',
    '\\bcho (?:hach toan|gd\\b|[a-z ]{1,30}xac nhan)|(?:can|phai|hay|de nghi|vui long)(?: qk| quy khach)? (?:nop|nap|gui(?! (?:phan hoi|y kien|tin|sms|e?mail|thong tin))|chuyen)\\b',
    '\\b(?:khi|neu) (?:gioi thieu|mo|dang ky|chi tieu|gui|nap|(?:ban|qk|quy khach)(?! (?:khong|chua|can|nghi ngo|phat hien|co (?:thac mac|nhu cau))))\\b|\\bnap [^\\n]{0,30}(?:dien thoai|the cao)',
    '\\bgioi thieu (?:ban (?:be|moi)|nguoi (?:than|quen|dung))\\b|\\btang (?:vnd )?[\\d.,]+ ?(?:vnd|d|dong)? vao (?:tk|tai khoan|vi)\\b',
    '(?:chua|khong) (?:duoc )?(?:ghi (?:co|no)|hach toan)\\b|\\b(?:bi|dang) treo\\b|\\bvoid(?:ed)?\\b|\\blimit\\b|\\bthe credit\\b|\\bduoc tang\\b|\\btang (?:vnd )?[\\d.,]+ ?(?:vnd|d|dong)? cho\\b',
    '\\bnop (?:vnd )?[\\d.,]+ ?(?:vnd|d|dong)? (?:tien (?:dien|nuoc|hoc|phat)|thue|phi|phat|bao hiem|cho|vao the|tu (?:tk|tai khoan))\\b',
    '\\bse hoan tat\\b|\\bde rut tien\\b|\\bthau chi\\b|\\bdiem thuong\\b|\\bduoc moi nhan\\b|thu hoi (?:gd|giao dich|lenh)\\b|\\b(?:payment|money|transfer) request|\\bunder review\\b|\\bon (?:its|the) way\\b',
    '\\btang (?:ban|kh|qk|quy khach)\\b|\\btang [^\\n.]{0,30} cho (?:tk|tai khoan|ban|qk|quy khach)\\b|\\bmay (?:be|get|receive)\\b|\\bprocessing\\b|being processed',
  ].join('|'),
)

/** Words before an amount that is an example, a gift, or another company's. After it, they may be a bank's usual advice. */
export const DOUBT_BEFORE =
  /canh bao|lua dao|gia mao|khong tin|vi du|mo phong|chuc mung|chuong trinh|western union|moneygram/
