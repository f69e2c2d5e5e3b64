/**
 * Downloads OpenAPI Generator with Maven and the Python modules that its clients import with pip, once, into a cache folder outside the
 * repository.
 */
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { jarsOf, LONGEST_DOWNLOAD_MS, onceInCache } from '../cache.ts'
import { needs } from '../debian.ts'

const execute = promisify(execFile)

const GENERATOR = '7.25.0'
const MODULES = ['pydantic==2.12.5', 'urllib3==2.6.3', 'python-dateutil==2.9.0.post0', 'typing-extensions==4.15.0']

export interface Programs {
  /** The folder of the generator's jar. */
  jars: string
  /** The folder with the Python modules. */
  modules: string
}

export const installPythonClients = async (): Promise<Programs> => {
  // The modules contain machine code for one version of Python.
  const { stdout } = await execute('python3', ['-c', 'import sys; print("%d.%d" % sys.version_info[:2])'])
  return {
    jars: await jarsOf('openapi-generator', new URL('pom.xml', import.meta.url), GENERATOR),
    modules: await onceInCache(`python-${stdout.trim()}-${MODULES[0]!.replace('==', '-')}`, (folder) =>
      execute('python3', ['-m', 'pip', 'install', '--quiet', '--target', folder, ...MODULES], {
        timeout: LONGEST_DOWNLOAD_MS,
      }),
    ),
  }
}

/** For suites that generate clients. */
export const needsPythonClients = needs('Python, pip, Java or Maven', installPythonClients)

/** Generates the package `baoco` from a document in this folder: `openapi.json`. */
export const generateClient = async (folder: string): Promise<void> => {
  const { jars } = await installPythonClients()
  const jar = join(jars, `openapi-generator-cli-${GENERATOR}.jar`)
  const parts = 'apis,models,supportingFiles,apiDocs=false,modelDocs=false,apiTests=false,modelTests=false'
  // It starts faster without the second compiler.
  await execute('java', [
    '-XX:TieredStopAtLevel=1', '-jar', jar, 'generate', '-g', 'python', '-i', join(folder, 'openapi.json'), '-o', folder,
    '--package-name', 'baoco', '--global-property', parts,
  ]) // prettier-ignore
}

/** Runs a program that may import the client in this folder. @returns what it prints · @throws with its errors if it fails */
export const runPython = async (folder: string, program: string, env: Record<string, string>): Promise<string> => {
  const { modules } = await installPythonClients()
  const { stdout } = await execute('python3', ['-c', program], {
    env: { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', PYTHONPATH: `${folder}:${modules}`, ...env },
  })
  return stdout
}
