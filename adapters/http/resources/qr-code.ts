/** QR codes as SVG, drawn here: no one else learns what is in them. */
import { toString } from 'qrcode'

/** @returns a whole `<svg>` element, black on white, with its quiet zone */
export const qrSvg = (text: string): Promise<string> =>
  toString(text, { type: 'svg', errorCorrectionLevel: 'M', margin: 4 })
