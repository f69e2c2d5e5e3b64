import { expect } from 'chai'
import { readFileSync } from 'node:fs'
import { customBody, SAMPLE, templateProblem } from '../../../../../domain/webhook/payload/custom.ts'

const filled = (template: unknown, change = {}) =>
  JSON.parse(customBody(JSON.stringify(template), { ...SAMPLE, ...change }, 1_767_580_200)) as unknown

describe('a custom template', () => {
  it('replaces a string that is one placeholder with the typed value', () =>
    expect(
      filled(
        { id: '{{transaction_id}}', at: '{{ timestamp }}', balance: '{{balance_after}}' },
        { balance_after: null },
      ),
    ).to.deep.equal({ id: 1042, at: 1_767_580_200, balance: null }))

  it('is described in docs/integrate-a-shop.md with a template that works', () => {
    const page = readFileSync(new URL('../../../../../docs/integrate-a-shop.md', import.meta.url), 'utf8')
    const [, template = ''] = /^```json\n(.*?)\n```/ms.exec(page) ?? []
    expect(templateProblem(template)).to.equal(null)
    expect(JSON.parse(customBody(template, SAMPLE, 7))).to.deep.equal({
      order: 'DH1042',
      paid: '150000.00',
      note: 'From NGUYEN VAN A',
      id: 1042,
      timestamp: 7,
    })
  })

  it('inserts a placeholder in a longer string as text, and null as an empty text', () =>
    expect(
      filled(['order {{order_id}} by {{counterpart_name}}.', 7, { deep: '{{woocommerce.payer_name}}!' }], {
        counterpart_name: null,
      }),
    ).to.deep.equal(['order DH1042 by .', 7, { deep: '!' }]))

  it('escapes text that would end the string or act as a pattern', () =>
    expect(filled({ text: '<{{description}}>' }, { description: '"}, "paid": true, $& \\ \n' })).to.deep.equal({
      text: '<"}, "paid": true, $& \\ \n>',
    }))

  it('does not replace placeholders that come from a bank text', () =>
    expect(filled({ text: 'a {{description}}' }, { description: '{{order_id}}' })).to.deep.equal({
      text: 'a {{order_id}}',
    }))

  it('shortens the free texts to 4096 bytes and adds no key', () => {
    const body = customBody('{"a":"{{description}}"}', { ...SAMPLE, description: '"'.repeat(9_000) }, 0)
    expect(Buffer.byteLength(body)).to.be.within(4094, 4096)
    expect(JSON.parse(body)).to.have.all.keys('a')
    const notes = '"{{woocommerce.note}}"'
    const named = { ...SAMPLE, counterpart_name: 'A'.repeat(9_000) }
    expect(Buffer.byteLength(customBody(`{"a":${notes},"b":${notes}}`, named, 0))).to.be.within(4094, 4096)
  })

  for (const [template, problem] of [
    ['{"a":"{{order_id}}","b":[1,null,"{{ woocommerce.note }}"]}', null],
    ['[]', null],
    ['{"a":', /JSON/],
    ['"{{order_id}}"', /object/],
    ['null', /object/],
    ['{"a":"{{secret}}"}', /unknown/],
    ['{"a":"{{constructor}}"}', /unknown/],
    ['{"a":"{{order_id"}', /braces/],
    ['{"a":"order_id}}"}', /braces/],
    ['{"{{order_id}}":1}', /key/],
    [JSON.stringify({ a: 'x'.repeat(4_096) }), /4 KB/],
    ['['.repeat(101) + ']'.repeat(101), /more than 100 levels/],
    ['['.repeat(9_000) + ']'.repeat(9_000), /more than 100 levels/],
    ['{"a":'.repeat(99) + '[]' + '}'.repeat(99), null],
    ['{"a":12345678901234567890}', /12345678901234567890 would be rounded/],
    ['[{"a":[-9007199254740993]}]', /rounded/],
    ['{"a":0.12345678901234567890123}', /rounded/],
    ['{"a":1e400}', /rounded/],
    ['{"a":"\\"12345678901234567890"}', null],
    ['{"a":[9007199254740991,-0.10,1.5E3,0,0.0,1e21,12345678901234567000,0.00000015]}', null],
  ] as const)
    it(`is ${problem ? 'refused' : 'accepted'}: ${template.slice(0, 60)}`, () => {
      if (problem) expect(templateProblem(template)).to.match(problem)
      else expect(templateProblem(template)).to.equal(null)
    })
})
