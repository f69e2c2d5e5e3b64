// Tests: tests/unit/domain/webhook/payload/payloads.test.ts
/** Renders the body of a delivery. The same row, timestamp and renderer always give the same bytes. */
import { customBody } from './custom.ts'
import { standardBody } from './standard.ts'
import type { TransactionRow } from './transaction-row.ts'
import { woocommerceBody } from './woocommerce.ts'

/** Recorded with every attempt. It must be increased when a change here renders the same row to other bytes. */
export const RENDERER = 1

/** The body format of a rule. */
export interface Format {
  payload_format: 'standard' | 'woocommerce' | 'custom'
  /** Only used with `custom`. */
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
