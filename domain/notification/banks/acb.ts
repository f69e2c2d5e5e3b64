import { bank, smsOrPush } from '../bank.ts'

/** The currency stands behind the account; `GD:` is the memo here. */
export const acb = bank('ACB', 'ACB', {
  senders: ['ACB'],
  packages: ['mobile.acb.com.vn', 'com.acb.acbb.prod'],
  layouts: [smsOrPush`TK {account}({currency}) {amount} luc {date:HH:mm dd/MM/yyyy}. So du {balance}[. GD: {content}]`],
})
