/** A delivery's body, byte for byte: the same row, timestamp and renderer give the same body again. */
import { customBody } from './custom.ts'
import { standardBody } from './standard.ts'
import type { TransactionRow } from './transaction-row.ts'
import { woocommerceBody } from './woocommerce.ts'

/** Recorded with every attempt; it rises whenever a change here makes other bytes of the same row. */
export const RENDERER = 1

/** How a rule wants its body. */
export interface Format {
  payload_format: 'standard' | 'woocommerce' | 'custom'
  /** Used with `custom` only. */
  custom_template: string | null
}

/** @param timestamp  of the attempt, Unix seconds */
export const render = ({ payload_format, custom_template }: Format, row: TransactionRow, timestamp: number): string => {
  switch (payload_format) {
    case 'standard':
      return standardBody(row, timestamp)
    case 'woocommerce':
      return woocommerceBody(row, timestamp)
    case 'custom':
      if (custom_template === null) throw new Error('a rule with the custom format has no template')
      return customBody(custom_template, row, timestamp)
  }
}
