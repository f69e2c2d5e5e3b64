/** The table of banks. Adding one is adding its file, a line here and its lines in `tests/corpus`. */
import type { Bank } from '../bank.ts'
import { acb } from './acb.ts'
import { bidv } from './bidv.ts'
import { mb } from './mb.ts'
import { notYetRead } from './not-yet-read.ts'
import { techcombank } from './techcombank.ts'
import { vib } from './vib.ts'
import { vietcombank } from './vietcombank.ts'

export const banks: readonly Bank[] = [mb, vietcombank, techcombank, acb, bidv, vib, ...notYetRead]
