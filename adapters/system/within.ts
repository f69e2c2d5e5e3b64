/** Bounded waiting, in time during which this process itself runs. */
import { awakeNow } from './awake.ts'

/**
 * @param milliseconds  how long to wait for the work. The work itself is not ended.
 * @throws what the work throws, or what `late` returns
 */
export const within = async <Result>(
  milliseconds: number,
  work: Promise<Result>,
  late: () => Error,
): Promise<Result> => {
  const deadline = awakeNow() + milliseconds
  let timer: NodeJS.Timeout | undefined
  const over = new Promise<never>((_resolve, reject) => {
    const look = (): void => {
      const left = deadline - awakeNow()
      if (left > 0) timer = setTimeout(look, left)
      else reject(late())
    }
    timer = setTimeout(look, milliseconds)
  })
  return Promise.race([work, over]).finally(() => clearTimeout(timer))
}
