/**
 * Which folder may import which. Imports point inward: cmd → adapters → projections → workflows → domain. Inside a layer, and inside a folder
 * that is divided, a folder may import only the folders named here, and itself. `npm run imports` checks it.
 */

/** Layers, from the inside out: what each may import beside itself, and its npm and Node packages. */
const LAYERS = {
  domain: { folders: [], packages: ['zod', 'node:crypto'] },
  workflows: { folders: ['domain'], packages: ['zod', 'node-cron', 'node:crypto', 'node:timers/promises'] },
  projections: { folders: ['workflows', 'domain'], packages: ['node:timers/promises'] },
  adapters: { folders: ['projections', 'workflows', 'domain'] },
  cmd: { folders: ['adapters', 'projections', 'workflows', 'domain'] },
}

/** Folders inside a layer or a folder, and the neighbours that each may import. Files directly in it are open to all of it. */
const NEIGHBOURS = {
  domain: {
    account: ['arrival', 'banks', 'dedup', 'webhook'],
    affiliate: ['account'],
    alert: [],
    arrival: ['account', 'banks', 'dedup', 'mail-trust', 'reader', 'transaction'],
    banks: ['reader'],
    credits: ['reader'],
    dedup: ['reader'],
    job: ['transaction'],
    'mail-trust': ['banks'],
    parked: [],
    'plan-order': ['account', 'dedup', 'reader', 'vietqr'],
    reader: ['banks'],
    sources: [],
    transaction: ['account', 'arrival', 'credits', 'dedup', 'mail-trust', 'plan-order', 'reader', 'webhook'],
    upcasters: [],
    vietqr: [],
    webhook: ['account'],
  },
  'domain/account': { fold: [] },
  'domain/webhook': { payload: [] },
  workflows: {
    accounts: ['support', 'transactions'],
    affiliate: ['accounts', 'support'],
    alerts: ['accounts', 'support'],
    audit: ['accounts', 'support'],
    capture: ['accounts', 'credits', 'support'],
    credits: ['accounts', 'scheduled', 'support'],
    deliver: ['support'],
    jobs: ['accounts', 'support', 'transactions'],
    live: ['support'],
    'mail-ingest': ['capture', 'support'],
    parked: ['support'],
    plans: ['accounts', 'support'],
    reactors: ['accounts', 'affiliate', 'alerts', 'parked', 'support', 'texts', 'transactions'],
    relay: ['support'],
    scheduled: ['accounts', 'alerts', 'support', 'texts'],
    'store-migration': ['support'],
    support: [],
    texts: [],
    transactions: ['accounts', 'support'],
  },
  adapters: {
    database: ['event-store', 'system'],
    'event-store': ['database', 'system'],
    export: [],
    'hand-over': ['database', 'system'],
    http: ['database', 'export', 'inbox', 'mail-out', 'postgres', 'system', 'telemetry'],
    inbox: ['database', 'http', 'receiver'],
    log: ['database'],
    mail: ['webhook-sender'],
    'mail-out': ['database', 'telemetry'],
    postgres: ['database', 'event-store', 'system', 'telemetry'],
    'rate-limits': ['database', 'http', 'system'],
    receiver: ['http'],
    secrets: ['system'],
    system: ['database'],
    telemetry: ['postgres', 'system'],
    'webhook-sender': ['inbox'],
  },
  'adapters/event-store': { eventstoredb: [], postgres: [] },
  'adapters/http': {
    dashboard: [],
    middleware: ['receive'],
    openapi: ['middleware'],
    receive: ['middleware'],
    resources: ['dashboard', 'middleware', 'openapi', 'receive'],
  },
  'adapters/log': { kafka: [] },
  'adapters/postgres': { 'delivery-queue': [], embedded: [], ops: ['delivery-queue'] },
  cmd: {
    'command-parts': ['process', 'settings'],
    commands: ['command-parts', 'process', 'settings'],
    process: ['settings'],
    settings: [],
  },
  web: {
    api: [],
    app: ['api', 'texts'],
    frame: ['api', 'app', 'screens', 'ui'],
    screens: ['api', 'app', 'ui'],
    styles: [],
    texts: ['app'],
    ui: ['api', 'app'],
  },
}

const anyOf = (names) => `(${names.join('|')})`

/** A package as it is resolved: in node_modules, its types included, or as Node's own. */
const packagePaths = (packages) =>
  packages.flatMap((name) =>
    name.startsWith('node:')
      ? [`^${name}$`, `^${name.slice('node:'.length)}$`]
      : [`(^|/)node_modules/(@types/)?${name}/`],
  )

const layerRules = Object.entries(LAYERS).map(([layer, { folders, packages }]) => ({
  name: `${layer}-imports-inward`,
  severity: 'error',
  from: { path: `^${layer}/` },
  to: packages
    ? { pathNot: [`^${anyOf([layer, ...folders])}/`, ...packagePaths(packages)] }
    : {
        path: `^${anyOf([...Object.keys(LAYERS).filter((other) => other !== layer && !folders.includes(other)), 'tests', 'bench'])}/`,
      },
}))

const neighbourRules = Object.entries(NEIGHBOURS).flatMap(([layer, folders]) =>
  Object.entries(folders).map(([folder, neighbours]) => ({
    name: `${layer.replace('/', '-')}-${folder}-imports`,
    severity: 'error',
    from: { path: `^${layer}/${folder}/` },
    to: { path: `^${layer}/[^/]+/`, pathNot: `^${layer}/${anyOf([folder, ...neighbours])}/` },
  })),
)

/** A folder that is not in the table would be checked by nothing. */
const unknownFolders = Object.entries(NEIGHBOURS).map(([layer, folders]) => ({
  name: `${layer.replace('/', '-')}-folder-is-in-the-table`,
  severity: 'error',
  from: { path: `^${layer}/[^/]+/`, pathNot: `^${layer}/${anyOf(Object.keys(folders))}/` },
  to: {},
}))

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    ...layerRules,
    ...neighbourRules,
    ...unknownFolders,
    {
      name: 'web-imports-itself',
      severity: 'error',
      from: { path: '^web/' },
      to: {
        path: '^(domain|workflows|projections|adapters|cmd|tests|bench)/',
        pathNot: '^workflows/texts/mailbox-reasons\\.ts$',
      },
    },
    {
      name: 'only-the-addresses-of-web',
      severity: 'error',
      from: { path: '^(domain|workflows|projections|adapters|cmd)/' },
      to: { path: '^web/', pathNot: '^web/(paths\\.ts|build\\.mjs)$' },
    },
    {
      name: 'no-packages-for-development',
      severity: 'error',
      from: { path: '^(domain|workflows|projections|adapters|cmd|web)/' },
      // Types come from packages for development.
      to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'] },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
  },
}
