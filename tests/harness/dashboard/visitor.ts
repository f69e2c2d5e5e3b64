/**
 * The owner in a real browser. A test file has one server, one browser, one login and one page: a new page has a process of its own, which costs
 * as much CPU time as the load of a screen. Messages of the browser (errors, refusals by the policy, requests to another host) are kept as
 * complaints.
 */
import { expect } from 'chai'
import { mkdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import {
  chromium,
  type Browser,
  type BrowserContext,
  type CDPSession,
  type Cookie,
  type Disposable,
  type Page,
} from 'playwright-core'
import { OWNERS_PASSWORD } from '../../integration/http/api-under-test.ts'
import { BROWSER } from '../chromium/install.ts'
import { repetitions } from '../repetitions.ts'
import { SIZES, VIEWS, type View } from './views.ts'

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
/** Milliseconds. On a busy machine a browser is slow. */
export const WITHIN = 60_000

const OWNER = { email: 'owner@baoco.local', password: OWNERS_PASSWORD }

/** The settings of the browser, unless a test changes them. */
const MEDIA = { colorScheme: 'light', reducedMotion: 'reduce' } as const

/** The tests look for Vietnamese texts. */
const THE_TESTS: View = { size: 'desk', theme: 'light', language: 'vi' }

/** A text that a stranger may write wherever they can. */
export const HOSTILE = '<img src=x onerror="document.title=1">\u202e\u200bDH1042'

/** Runs in the page. @returns what strangers' texts have achieved: markup, and characters that hide or turn text */
const HARM = `(() => {
  const HIDDEN = /[\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u206f]/
  const harm = [...document.querySelectorAll('img:not([src^="data:"]), [onerror]')].map(({ outerHTML }) => outerHTML)
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  while (texts.nextNode()) if (HIDDEN.test(texts.currentNode.data)) harm.push(texts.currentNode.data)
  for (const { ariaLabel } of document.querySelectorAll('dialog')) if (HIDDEN.test(ariaLabel)) harm.push(ariaLabel)
  if (!document.title.endsWith(' · Baoco') || HIDDEN.test(document.title)) harm.push('the title ' + document.title)
  return harm
})()`

/** Runs in the page. @returns whether another screen has opened. The same one stays where it is, and a form may ask first */
const FOLLOW = `(path) => {
  const former = document.querySelector('.shell main h1')
  const link = Object.assign(document.createElement('a'), { href: path })
  const isDialogOpen = () => document.querySelector('dialog[open]') !== null
  if (!former || link.pathname === location.pathname || isDialogOpen()) return false
  return new Promise((resolve) => {
    const observer = new MutationObserver(() => {
      if (former.isConnected && !isDialogOpen()) return
      observer.disconnect()
      resolve(!former.isConnected)
    })
    observer.observe(document.body, { childList: true, subtree: true, attributes: true })
    document.body.append(link)
    link.click()
    link.remove()
  })
}`

export class Visitor {
  page!: Page
  #devtools: CDPSession | null = null
  #inspected = 0
  #login: Cookie[] = []
  readonly #beforeScripts: Disposable[] = []
  /** Whether the page has reported an error since it was loaded. */
  #sawError = false
  /** Whether this test has answered in place of the server. The page keeps such answers for a while. */
  #hasRoutes = false
  /**
   * Whether the next screen must be loaded: the page has another login, scripts of its own, an error or made-up answers of an earlier test, or
   * answers of the server that this test replaces.
   */
  #isSpoilt = false
  complaints: string[] = []
  readonly #forgiven = new Set<number>()
  readonly url: string
  readonly #browser: Browser
  readonly #context: BrowserContext

  private constructor(url: string, browser: Browser, context: BrowserContext) {
    this.url = url
    this.#browser = browser
    this.#context = context
  }

  /** @param url  of the server */
  static async open(url: string): Promise<Visitor> {
    return Visitor.#in(await chromium.launch(BROWSER), url)
  }

  /** As in another browser. It ends with this one. */
  another(): Promise<Visitor> {
    return Visitor.#in(this.#browser, this.url)
  }

  static async #in(browser: Browser, url: string): Promise<Visitor> {
    const context = await browser.newContext({ viewport: SIZES.desk, ...MEDIA })
    context.setDefaultTimeout(WITHIN)
    return new Visitor(url, browser, context)
  }

  async newPage(): Promise<void> {
    this.complaints = []
    this.#devtools = null
    const page = await this.#context.newPage()
    this.page = page
    const route = page.route.bind(page)
    page.route = (...given) => {
      this.#isSpoilt = this.#hasRoutes = true
      return route(...given)
    }
    page.on('console', (message) => {
      // The browser reports every 401 and 404, although the page handles them.
      const isHandled = /status of (401|404)/.test(message.text())
      if (!['error', 'warning'].includes(message.type())) return
      this.#sawError = true
      const isForgiven = [...this.#forgiven].some((status) => message.text().includes(`status of ${status}`))
      if (!isHandled && !isForgiven) this.complaints.push(message.text())
    })
    page.on('pageerror', ({ message }) => {
      this.#sawError = true
      this.complaints.push(message)
    })
    page.on('request', (request) => {
      const { origin, protocol } = new URL(request.url())
      if (protocol !== 'data:' && origin !== this.url) this.complaints.push(`a request to ${origin}`)
    })
  }

  /** Begins a test, in the page as the test before left it. It has the login of the owner, if the owner has logged in before. */
  async begin(): Promise<void> {
    if (!(await this.#hasLogin())) {
      this.#isSpoilt = true
      await this.#context.addCookies(this.#login)
    }
    await this.page.setViewportSize(SIZES.desk)
    await this.page.emulateMedia({ media: 'screen', ...MEDIA })
    this.complaints = []
    this.#forgiven.clear()
  }

  /** Runs a script in each document that this test opens, before the scripts of the document. */
  async beforeScripts(script: string): Promise<void> {
    this.#isSpoilt = true
    this.#beforeScripts.push(await this.page.addInitScript(script))
  }

  /** Ends a test: its scripts, its routes and its session storage are not there for the next one. */
  async end(): Promise<void> {
    this.#isSpoilt ||= this.#sawError || this.#hasRoutes || this.#beforeScripts.length > 0
    this.#hasRoutes = false
    for (const script of this.#beforeScripts.splice(0)) await script.dispose()
    await this.page.unrouteAll()
    await this.page.evaluate('sessionStorage.clear()')
  }

  async #hasLogin(): Promise<boolean> {
    const texts = (cookies: Cookie[]) =>
      cookies
        .map(({ name, value }) => `${name}=${value}`)
        .sort()
        .join()
    return texts(await this.#context.cookies()) === texts(this.#login)
  }

  /** Takes the network away from all pages. */
  offline(isOffline: boolean): Promise<void> {
    return this.#context.setOffline(isOffline)
  }

  /** Loads a screen by its address. */
  async go(path: string): Promise<void> {
    this.#isSpoilt = this.#sawError = false
    await this.page.goto(this.url + path)
  }

  /** Opens another screen by a link, as its owner does, which costs a quarter of a load. Loads it if no link of this page leads there. */
  async open(path: string): Promise<void> {
    const isFollowed = !this.#isSpoilt && (await this.page.evaluate(`(${FOLLOW})(${JSON.stringify(path)})`))
    if (!isFollowed) await this.go(path)
  }

  /** Opens a screen as the owner, with the login of an earlier test if it still counts, in which case a link may lead there. */
  async enter(path: string): Promise<void> {
    if (!(await this.#hasLogin())) {
      await this.withoutLogin()
      await this.#context.addCookies(this.#login)
    }
    await this.open(path)
    const form = this.page.locator('input[type=password]:not(.shell *)')
    await this.page.locator('.shell').or(form).first().waitFor()
    if (await form.isVisible()) await this.logIn()
    this.#login = await this.#context.cookies()
  }

  /** As on a device that nobody has used. */
  async withoutLogin(): Promise<void> {
    // A page that finds its login gone opens the login, which would interrupt the next navigation.
    await this.page.goto('about:blank')
    await this.#context.clearCookies()
  }

  async logIn({ email, password } = OWNER): Promise<void> {
    await this.page.getByLabel('Email', { exact: true }).fill(email)
    await this.page.getByLabel('Mật khẩu', { exact: true }).fill(password)
    await this.page.keyboard.press('Enter')
    await this.page.locator('.shell').waitFor()
  }

  /** Complaints about answers with this status, which the test causes. The browser may report one of them later. */
  forgive(status: number): void {
    this.#forgiven.add(status)
    this.complaints = this.complaints.filter((text) => !text.includes(String(status)))
  }

  /** Switches the language by the choice that the page offers, if it has another one. */
  async speak(language: View['language']): Promise<void> {
    if ((await this.page.evaluate('document.documentElement.lang')) === language) return
    // The choice is also kept in the account of whoever is logged in.
    const isLoggedIn = (await this.page.locator('.shell').count()) > 0
    const kept = isLoggedIn && this.page.waitForResponse((answer) => answer.request().method() === 'PUT')
    await this.page.locator('option[value=en]').first().waitFor({ state: 'attached' })
    await this.page.evaluate(`{
      const choice = document.querySelector('option[value=en]').parentElement
      choice.value = '${language}'
      choice.dispatchEvent(new Event('change', { bubbles: true }))
    }`)
    await this.page.locator(`html[lang=${language}]`).waitFor({ state: 'attached' })
    await kept
  }

  /** Switches size, theme and language of the open page. */
  async show({ size, theme, language }: View): Promise<void> {
    await this.page.setViewportSize(SIZES[size])
    await this.page.emulateMedia({ colorScheme: theme })
    await this.speak(language)
  }

  /** Half a megabyte of script. By `page.evaluate` it would be copied and parsed as a value too. */
  async #loadAxe(): Promise<void> {
    if (await this.page.evaluate(`'axe' in window`)) return
    this.#devtools ??= await this.#context.newCDPSession(this.page)
    const { exceptionDetails } = await this.#devtools.send('Runtime.evaluate', { expression: AXE })
    expect(exceptionDetails).to.equal(undefined)
  }

  /** The problems that axe finds, each with the element. No rule that runs reads the styles that axe would load once more. */
  async #axe(): Promise<string[]> {
    await this.#loadAxe()
    return this.page
      .evaluate(`axe.run({ resultTypes: ['violations'], preload: { assets: ['media'] }, selectors: false }).then(({ violations }) =>
      violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ': ' + html.slice(0, 200))))`)
  }

  async #inspectAs(view: View, name: string): Promise<void> {
    const { page } = this
    const at = [name, ...Object.values(view)].join('-')
    await this.show(view)
    expect(await this.#axe(), at).to.deep.equal([])
    expect(await page.evaluate(HARM), at).to.deep.equal([])
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), `${at} fits its width`).to.equal(
      true,
    )
    expect(this.complaints, at).to.deep.equal([])
    const { SCREENSHOTS } = process.env
    if (!SCREENSHOTS) return
    mkdirSync(SCREENSHOTS, { recursive: true })
    // The window becomes as high as the page, so that a bar at its edge covers nothing. A dialog is shown as people see it.
    if ((await page.locator('dialog[open]').count()) === 0) {
      const { width, height } = SIZES[view.size]
      const whole = await page.evaluate('document.documentElement.scrollHeight')
      await page.setViewportSize({ width, height: Math.max(height, Number(whole)) })
    }
    await page.screenshot({ path: join(SCREENSHOTS, `${at}.png`) })
  }

  /**
   * The screen is free of faults. Each screen is inspected in one view, another one for each, or in all of them with REPEAT=full.
   * With SCREENSHOTS=folder each is also written as a picture.
   */
  async inspect(name: string): Promise<void> {
    const views = process.env.SCREENSHOTS ? VIEWS : VIEWS.slice(0, repetitions(VIEWS.length, 1))
    const first = this.#inspected++
    for (const index of views.keys()) await this.#inspectAs(VIEWS[(first + index) % VIEWS.length]!, name)
    await this.show(THE_TESTS)
  }

  async close(): Promise<void> {
    await this.#browser.close()
  }
}
