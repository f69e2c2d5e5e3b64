/** Figures of experiments. `npm run reliability` collects them for docs/reliability.md. */
import { appendFileSync, readFileSync } from 'node:fs'

export interface Figures {
  experiment: string
  result: string
}

/** Prints the result of an experiment. It is also added to the file that FIGURES names, if that is set. */
export const showFigures = (experiment: string, result: string): void => {
  console.log(`      ${experiment}: ${result}`)
  if (process.env.FIGURES) appendFileSync(process.env.FIGURES, `${JSON.stringify({ experiment, result })}\n`)
}

/** @returns the results in a file, in the order of the experiments' names */
export const figuresIn = (file: string): Figures[] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Figures)
    .sort((one, other) => one.experiment.localeCompare(other.experiment))
