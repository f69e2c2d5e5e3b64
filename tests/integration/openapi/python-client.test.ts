/** A Python client that OpenAPI Generator makes from the document: it imports, and reads the answers of the API. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { generateClient, needsPythonClients, runPython } from '../../harness/python-client/install.ts'
import { openApi, type ApiUnderTest } from '../http/api-under-test.ts'

/** Imports every module of the client, and prints the payout account before and after it is set. */
const PROGRAM = `
import importlib, json, os, pkgutil
import baoco
modules = [each.name for each in pkgutil.walk_packages(baoco.__path__, 'baoco.')]
for name in modules:
    importlib.import_module(name)
configuration = baoco.Configuration(host=os.environ['HOST'], api_key={'api_key': os.environ['KEY']})
with baoco.ApiClient(configuration) as client:
    api = baoco.AffiliateApi(client)
    before = api.get_api_affiliate().data.bank
    bank = {'bank_code': 'VCB', 'account_number': '0011000415567', 'account_name': 'NGUYEN VAN A'}
    api.put_api_affiliate_bank(bank)
    after = api.get_api_affiliate().data.bank
print(json.dumps({'modules': len(modules), 'before': before, 'after': after.account_name}))
`

describe('a Python client generated from the document', () => {
  needsPythonClients()
  let api: ApiUnderTest
  let folder: string
  before(async () => {
    api = await openApi()
    folder = await mkdtemp(join(tmpdir(), 'baoco-python-'))
    await writeFile(join(folder, 'openapi.json'), JSON.stringify((await api.ask('GET', '/api/openapi.json')).body))
    await generateClient(folder)
  })
  after(async () => {
    await api?.close()
    if (folder) await rm(folder, { recursive: true })
  })

  it('imports, and reads a component or null where a component may be missing', async () => {
    const { api_key } = await api.newAccount('python@example.com')
    const printed = await runPython(folder, PROGRAM, { HOST: api.url, KEY: api_key })
    const { modules, ...banks } = JSON.parse(printed) as { modules: number }
    expect(modules).to.be.greaterThan(100)
    expect(banks).to.deep.equal({ before: null, after: 'NGUYEN VAN A' })
  })
})
