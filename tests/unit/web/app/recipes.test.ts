/** The recipes of the page say what `docs/connect-a-phone.md` says, whose blocks another test sends. */
import { expect } from 'chai'
import { readFileSync } from 'node:fs'
import { RECIPES } from '../../../../web/app/recipes.ts'
import { sources as english } from '../../../../web/texts/en/sources.ts'
import { sources as vietnamese } from '../../../../web/texts/vi/sources.ts'

const DOC = readFileSync(new URL('../../../../docs/connect-a-phone.md', import.meta.url), 'utf8')
/** The section of one app. */
const sectionOf = (heading: string): string => DOC.split(/^## /m).find((section) => section.startsWith(heading)) ?? ''
const HEADINGS: Record<string, string> = { tasker: 'Tasker with AutoNotification', other: 'Any other app' }
/** The query parameters that the steps name: `package = {not_app_package}`. */
const parametersIn = ({ recipes }: typeof vietnamese, id: string): string[] =>
  [...recipes.steps[id]!.join('\n').matchAll(/\w+ = \{\w+\}/g)].map(([parameter]) => parameter)

describe('the recipes for forwarder apps', () => {
  for (const { id, name, query, template } of RECIPES)
    it(`are those of the documentation: ${id}`, () => {
      const section = sectionOf(HEADINGS[id] ?? name)
      // Without the sender in the address, notifications would be ignored.
      const queries = [...section.matchAll(/\{personal_url\}([^`\s"]*)/g)].map(([, each]) => each!)
      expect(queries).to.include(query)
      const parameters = parametersIn(english, id)
      expect(parametersIn(vietnamese, id)).to.deep.equal(parameters)
      for (const parameter of parameters)
        for (const part of parameter.split(' = ')) expect(section).to.include(`\`${part}\``)
      const names = new Set(parameters.map((parameter) => parameter.split(' ')[0]!))
      for (const each of query === '' ? queries : [])
        for (const name of new URLSearchParams(each).keys()) expect(names, each).to.include(name)
      // The documentation shows the body as it arrives.
      const arrives = template
        ?.replace('%text%', '{text}')
        .replace('%sentStamp%', '{ms}')
        .replace('%receivedStamp%', '{ms}')
        .replace('%sim%', 'sim1')
      for (const line of arrives?.split('\n') ?? [])
        for (const part of line.split(' = ')) expect(section.replaceAll(/\s+/g, ' ')).to.include(part.trim())
    })

  it('register the webhook of SMS Gateway for Android, which has no form for it', () => {
    expect(RECIPES.find(({ id }) => id === 'gateway')?.template).to.include('"url":"{personal_url}"')
  })

  it('name the apps that never send a notification again', () => {
    const [, named = ''] = /- (.*) never send a notification again/.exec(DOC) ?? []
    const names = RECIPES.filter(({ sendsOnce }) => sendsOnce).map(
      ({ id, name }) => (HEADINGS[id] ?? name).split(' with ')[0]!,
    )
    expect(names).to.have.lengthOf(3)
    for (const name of names) expect(named).to.include(name)
  })

  it('send the title of an app notification, which contains the amount at some banks', () => {
    for (const { id, reads, query, template } of RECIPES)
      if (reads !== 'sms' && id !== 'other')
        expect([query, template, ...parametersIn(english, id)].join('\n'), id).to.match(/title ?= ?[%{[]/)
  })
})
