/** The sum of one metric in `/metrics` over all its labels; 0 if the metric does not exist yet. */
export const metric = async (baseUrl: string, name: string): Promise<number> => {
  const text = await (await fetch(`${baseUrl}/metrics`)).text()
  return text
    .split('\n')
    .filter((line) => line.startsWith(`${name} `) || line.startsWith(`${name}{`))
    .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' ') + 1)), 0)
}
