/** Sum of one metric over all its labels, as `/metrics` tells it; 0 where it is not there yet. */
export const metric = async (baseUrl: string, name: string): Promise<number> => {
  const text = await (await fetch(`${baseUrl}/metrics`)).text()
  return text
    .split('\n')
    .filter((line) => line.startsWith(`${name} `) || line.startsWith(`${name}{`))
    .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' ') + 1)), 0)
}
