/** The number of repetitions in a test: small by default, large with `REPEAT=full` (`npm run reliability`, `npm run fuzz`). */
export const repetitions = (full: number, short: number): number => (process.env.REPEAT === 'full' ? full : short)
