/** Reads Compose files as Compose does, as far as ours need it: anchors, variables, `.env`, and several files merged. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'

export interface Service {
  build?: string
  image?: string
  entrypoint?: string[]
  command?: string[]
  env_file?: string
  environment?: Record<string, string | number>
  depends_on?: Record<string, { condition: string }>
  healthcheck?: { test: string[] }
  volumes?: string[]
  ports?: string[]
  tmpfs?: string[]
  restart?: string
  stop_grace_period?: string
  security_opt?: string[]
  mem_limit?: string
  read_only?: boolean
  cap_drop?: string[]
  logging?: { options: Record<string, string> }
}

export interface Compose {
  services: Record<string, Service>
  volumes: Record<string, unknown>
}

export const readRoot = (name: string): string => readFileSync(join(process.cwd(), name), 'utf8')

export const readCompose = (name: string): Compose => parse(readRoot(name), { merge: true }) as Compose

type Variables = Readonly<Record<string, string>>

const MISSING = '\0missing '
const VARIABLE = /\$\{(\w+)(?::([-?])([^${}]*))?\}/g

/** Fills in `${NAME}`, `${NAME:-default}` and `${NAME:?message}`, from the inside. @throws if a required variable is missing */
const interpolate = (text: string, given: Variables): string => {
  const values: string[] = []
  const fill = (part: string): string => {
    const filled = part.replace(VARIABLE, (_all, name: string, kind?: string, rest = '') => {
      const value = given[name]
      // The text of a value is not searched for variables.
      if (value) return `\0${values.push(value) - 1}\0`
      if (kind === '?') return MISSING + name
      return kind === '-' ? rest : ''
    })
    return filled === part ? part : fill(filled)
  }
  const filled = fill(text)
  if (filled.includes(MISSING)) throw new Error(`${filled.split(MISSING)[1]} is required`)
  return filled.replace(/\0(\d+)\0/g, (_all, index: string) => values[Number(index)]!)
}

/** The values of a file `.env` whose values are in single quotes or have no quotes. */
export const readDotEnv = (text: string): Record<string, string> =>
  Object.fromEntries(
    text
      .split('\n')
      .map((line) => /^(\w+)=(?:'(.*)'|([^'#]*))$/.exec(line))
      .filter((match) => match !== null)
      .map(([, name = '', quoted, bare]) => [name, quoted ?? bare ?? '']),
  )

/** The environment of a service's container. Later files add to earlier ones. */
export const environmentOf = (
  files: readonly Compose[],
  service: string,
  dotEnv: Variables,
): Record<string, string> => {
  const parts = files.map(({ services }) => services[service] ?? {})
  const set = parts.flatMap(({ environment = {} }) => Object.entries(environment))
  return {
    ...(parts.some(({ env_file }) => env_file === '.env') ? dotEnv : {}),
    ...Object.fromEntries(set.map(([name, value]) => [name, interpolate(String(value), dotEnv)])),
  }
}
