/**
 * Runs the image without a container engine: the Dockerfile's files in a folder of their own, its packages without those for development,
 * its user without any privilege, and a read-only root. Needs root and Linux.
 */
import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { chownSync, existsSync, readFileSync } from 'node:fs'
import { chmod, cp, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { fileURLToPath } from 'node:url'
import { succeeds } from './outcomes.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const run = promisify(execFile)

/** The number in the Dockerfile. */
const USER = 1000

export interface Image {
  /** The working directory. */
  folder: string
  remove(): Promise<void>
}

/** Paths of the packages that `npm ci --omit=dev` installs, without those inside others. */
const productionPackages = (): string[] => {
  const lock = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { dev?: boolean; devOptional?: boolean }>
  }
  return Object.entries(lock.packages).flatMap(([path, { dev, devOptional }]) =>
    path.lastIndexOf('node_modules/') === 0 && !dev && !devOptional && existsSync(join(ROOT, path)) ? [path] : [],
  )
}

/** Copies as links, which takes no space; on another disk as files. */
const copyPackages = (paths: readonly string[], to: string): Promise<unknown> => {
  const copy = (how: string) => run('cp', [how, '--parents', ...paths, to], { cwd: ROOT })
  return copy('-al').catch(() => copy('-a'))
}

/** Does the steps of the Dockerfile. */
export const buildImage = async (): Promise<Image> => {
  const outside = await mkdtemp(join(tmpdir(), 'baoco-image-'))
  await chmod(outside, 0o755)
  const folder = join(outside, 'baoco')
  await mkdir(folder)
  const dockerfile = readFileSync(join(ROOT, 'Dockerfile'), 'utf8')
  const copied = [
    ...dockerfile
      .split(/^FROM /m)
      .at(-1)!
      .matchAll(/^COPY (?!--)(.+) \S+$/gm),
  ].flatMap(([, paths]) => paths!.split(' '))
  for (const path of copied) await cp(join(ROOT, path), join(folder, path), { recursive: true })
  await copyPackages(productionPackages(), folder)
  await run(process.execPath, ['cmd/build.mjs'], { cwd: folder })
  return { folder, remove: () => rm(outside, { recursive: true }) }
}

const READ_ONLY = `
for folder in $WRITABLE; do mount --bind "$folder" "$folder"; done
mount --options remount,ro,bind /
exec setpriv --reuid=${USER} --regid=${USER} --clear-groups --no-new-privs --bounding-set=-all --inh-caps=-all "$@"
`

export interface Container {
  /** Everything that it has printed so far. */
  output: () => string
  process: ChildProcess
  /** Resolves with the exit status. */
  ended: Promise<number | null>
  /** Runs the health check of the image. Resolves with whether it passes. */
  isHealthy(): Promise<boolean>
}

/** A folder that the user of the image may write to. */
export const makeVolume = async (): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'baoco-volume-'))
  chownSync(folder, USER, USER)
  return folder
}

/** @param volumes  the only folders that are not read-only */
export const runContainer = (
  { folder }: Image,
  [node, ...command]: readonly string[],
  env: Readonly<Record<string, string>>,
  volumes: readonly string[],
): Container => {
  if (node !== 'node') throw new Error('the image runs node')
  const inside = { PATH: process.env.PATH, NODE_ENV: 'production', HOME: '/nonexistent', ...env }
  const child = spawn('unshare', ['--mount', 'bash', '-ec', READ_ONLY, 'container', process.execPath, ...command], {
    cwd: folder,
    env: { ...inside, WRITABLE: volumes.join(' ') },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (output += text))
  const check = healthCheckOf(folder)
  return {
    output: () => output,
    process: child,
    ended: new Promise((resolve) => child.once('close', (status) => resolve(status))),
    isHealthy: () => succeeds(run(check[0]!, check.slice(1), { cwd: folder, env: inside })),
  }
}

/** The command of an instruction in its JSON form, such as `CMD ["node", …]`. */
export const commandOf = (instruction: 'CMD' | 'HEALTHCHECK'): string[] => {
  const dockerfile = readFileSync(join(ROOT, 'Dockerfile'), 'utf8')
  const [, command = '[]'] = new RegExp(`^${instruction}\\b[^\\[]*(\\[.*\\])$`, 'm').exec(dockerfile) ?? []
  return JSON.parse(command) as string[]
}

const healthCheckOf = (folder: string): string[] => {
  const command = commandOf('HEALTHCHECK')
  if (!existsSync(join(folder, command.at(-1)!))) throw new Error(`${command.at(-1)} is not in the image`)
  return command
}
