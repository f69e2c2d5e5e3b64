/** How often a test repeats what it does: seldom in every run, often where `REPEAT=full` (`npm run reliability`, `npm run fuzz`). */
export const repetitions = (full: number, short: number): number => (process.env.REPEAT === 'full' ? full : short)
