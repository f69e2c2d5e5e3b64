/** Pseudo-random whole numbers, the same for the same seed (xorshift). */
export const pseudoRandom = (seed: number): ((below: number) => number) => {
  let state = seed
  return (below) => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) % below
  }
}
