// Tests: tests/unit/domain/banks/directory.test.ts
/** The table of banks. To add a bank, see `docs/add-a-bank.md`. */
import type { Bank } from './bank.ts'
import { abbank } from './abbank.ts'
import { acb } from './acb.ts'
import { agribank } from './agribank.ts'
import { bidv } from './bidv.ts'
import { byLabelsOnly } from './by-labels-only.ts'
import { cake } from './cake.ts'
import { eximbank } from './eximbank.ts'
import { gpbank } from './gpbank.ts'
import { hdbank } from './hdbank.ts'
import { hsbc } from './hsbc.ts'
import { indovina } from './indovina.ts'
import { mb } from './mb.ts'
import { momo } from './momo.ts'
import { msb } from './msb.ts'
import { ncb } from './ncb.ts'
import { ocb } from './ocb.ts'
import { publicBank } from './public-bank.ts'
import { pvcombank } from './pvcombank.ts'
import { sacombank } from './sacombank.ts'
import { scb } from './scb.ts'
import { seabank } from './seabank.ts'
import { shb } from './shb.ts'
import { shinhan } from './shinhan.ts'
import { techcombank } from './techcombank.ts'
import { timo } from './timo.ts'
import { tpbank } from './tpbank.ts'
import { uob } from './uob.ts'
import { vib } from './vib.ts'
import { vietbank } from './vietbank.ts'
import { vietcombank } from './vietcombank.ts'
import { vietinbank } from './vietinbank.ts'
import { viettelMoney } from './viettel-money.ts'
import { vikki } from './vikki.ts'
import { vpbank } from './vpbank.ts'
import { vrb } from './vrb.ts'
import { zalopay } from './zalopay.ts'

export const banks: readonly Bank[] = [
  mb,
  vietcombank,
  techcombank,
  acb,
  bidv,
  vib,
  tpbank,
  vpbank,
  sacombank,
  vietinbank,
  agribank,
  shb,
  msb,
  ocb,
  hdbank,
  cake,
  timo,
  eximbank,
  seabank,
  ncb,
  publicBank,
  pvcombank,
  scb,
  abbank,
  vietbank,
  gpbank,
  vikki,
  vrb,
  indovina,
  shinhan,
  hsbc,
  uob,
  momo,
  zalopay,
  viettelMoney,
  ...byLabelsOnly,
]
