// Tests: tests/integration/http/connect-a-phone.test.ts
/** Draws QR codes as SVG in this process, so that no other service receives their content. */
import { toString } from 'qrcode'

/** @returns a whole `<svg>` element, black on white, with its quiet zone */
export const qrSvg = (text: string): Promise<string> =>
  toString(text, { type: 'svg', errorCorrectionLevel: 'M', margin: 4 })
