/** Reads a QR code in an SVG like a camera. */
import { createRequire } from 'node:module'
import type jsqr from 'jsqr'

// Its types declare the function as a default export, which Node does not see as one.
const decode = createRequire(import.meta.url)('jsqr') as typeof jsqr.default

/** Pixels per unit. */
const SCALE = 4

/** Renders the drawing as pixels. Its paths are horizontal strokes, one unit per module. */
const pixelsOf = (svg: string): { data: Uint8ClampedArray; width: number; height: number } => {
  const size = Number(/viewBox="0 0 (\d+) \1"/.exec(svg)![1])
  const width = size * SCALE
  const data = new Uint8ClampedArray(width * width * 4).fill(255)
  const strokes = /stroke="#000000" d="([^"]+)"/.exec(svg)![1]!
  let [x, y] = [0, 0]
  for (const [, command, first, second] of strokes.matchAll(/([Mmh])(-?[\d.]+)(?:[ ,](-?[\d.]+))?/g)) {
    if (command === 'M') [x, y] = [Number(first), Number(second)]
    else if (command === 'm') [x, y] = [x + Number(first), y + Number(second)]
    else {
      for (let row = Math.floor(y) * SCALE; row < (Math.floor(y) + 1) * SCALE; row++)
        for (let column = x * SCALE; column < (x + Number(first)) * SCALE; column++)
          data.set([0, 0, 0], (row * width + column) * 4)
      x += Number(first)
    }
  }
  return { data, width, height: width }
}

/** @returns null if there is no readable code */
export const textOfQr = (svg: string): string | null => {
  const { data, width, height } = pixelsOf(svg)
  return decode(data, width, height)?.data ?? null
}
