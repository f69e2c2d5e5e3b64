// Tests: tests/unit/domain/reader/corpus.test.ts
import { bank, mailTable, NO_CARD_PAYMENT, push, whenBankIsKnown } from './bank.ts'

/** A separate bank next to VPBank. Its mail covers both directions. Dots separate thousands. The fee has its own row. */
export const cake = bank('CAKE', 'Cake', {
  packages: ['xyz.be.cake'],
  domains: ['cake.vn'],
  layouts: [
    whenBankIsKnown(
      push`[So du ]Tai khoan thanh toan[ {account}][ cua ban] vua {amount}[ <vao/luc> {date:dd/MM/yyyy HH:mm}][~Noi dung: {content}]. So du hien tai cua tai khoan thanh toan la {balance}`,
    ),
    whenBankIsKnown(push`{amount} <vao/tu> tai khoan[ {account}][. Noi dung: {content}][. So du: {balance}]`),
  ],
  tables: [
    mailTable('thong tin giao dich', {
      other: ['Thong tin tai khoan', 'Thong tin giao dich', 'Thong tin nguoi nhan'],
      from: ['Tai khoan chuyen'],
      from_name: ['Ten nguoi chuyen'],
      from_bank: ['Ngan hang chuyen'],
      to: ['Tai khoan nhan'],
      to_name: ['Ten nguoi nhan'],
      to_bank: ['Ngan hang nhan'],
      direction: ['Loai giao dich'],
      ref: ['Ma giao dich'],
      date: ['Ngay gio giao dich', 'Thoi gian giao dich'],
      amount: ['So tien'],
      fee: ['Phi giao dich', 'Phi'],
      balance: ['So du'],
      content: ['Noi dung giao dich', 'Noi dung'],
      status: ['Trang thai'],
      end: ['Cam on ban', 'Tran trong', 'Neu ban can', 'Moi thac mac'],
    }),
    mailTable(
      'gia tri',
      {
        account: ['So the', 'The'],
        other: ['The tin dung'],
        amount: ['Gia tri giao dich', 'Gia tri'],
        date: ['Vao luc', 'Thoi gian'],
        to_name: ['Tai'],
        status: ['Tinh trang', 'Trang thai'],
        end: ['Cam on ban', 'Tran trong', 'Neu ban', 'Moi thac mac'],
      },
      { direction: 'debit', isDistinctive: false, unless: NO_CARD_PAYMENT },
    ),
  ],
})
