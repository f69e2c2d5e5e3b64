/** The sentences in which the API says what is wrong, read from the source code. */
import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const FOLDERS = [
  'domain',
  'workflows',
  'projections',
  'adapters/http',
  'adapters/inbox',
  'adapters/mail',
  'adapters/secrets',
  'adapters/webhook-sender',
]
/** Documentation of the API, and mails. */
const NO_ANSWERS =
  /^(?:adapters\/http\/openapi\/(?:descriptions|examples|document|webhooks)|workflows\/texts\/[\w-]+)\.ts$/

export interface Sentence {
  /** Where it is, such as `domain/account/access.ts:16`. */
  at: string
  /** Each inserted value is `7`. */
  text: string
  /** The code of the refusal, if it stands beside the sentence. */
  code: string | null
}

const isText = (node: ts.Node): node is ts.StringLiteralLike | ts.TemplateExpression =>
  ts.isStringLiteralLike(node) || ts.isTemplateExpression(node)

const textOf = (node: ts.StringLiteralLike | ts.TemplateExpression): string =>
  ts.isTemplateExpression(node)
    ? node.head.text + node.templateSpans.map(({ literal }) => `7${literal.text}`).join('')
    : node.text

const isSentence = (text: string): boolean => /^[A-Z`].*\s.*\.$/s.test(text)

/** The names of members that hold a sentence. */
const MEMBERS = new Set(['message', 'error'])
const nameOf = (node: ts.PropertyAssignment | ts.PropertyDeclaration): string => node.name.getText()

/** Answers of calls that succeeded have a message too. */
const isOfSuccess = (object: ts.Node): boolean =>
  ts.isObjectLiteralExpression(object) &&
  object.properties.some((member) => ['success', 'data'].includes(member.name?.getText() ?? ''))

/** Functions whose text is no answer: errors of the program, and what the document says. */
const OTHERS = /^(?:(?:Type|Range)?Error|describe|secret|text|whole|download|eventStream|console\.\w+|log\.\w+)$/

const argumentOf = (call: ts.CallExpression | ts.NewExpression): { code: string | null } | null => {
  const called = call.expression.getText()
  if (OTHERS.test(called)) return null
  if (called === 'Overloaded') return { code: 'RATE_LIMITED' }
  const [first] = call.arguments ?? []
  return { code: called === 'Refused' && first && ts.isStringLiteral(first) ? first.text : null }
}

/** Whether the text is part of an answer that refuses. */
const refusalAt = (node: ts.Node): { code: string | null } | null => {
  const { parent } = node
  // Part of a longer expression.
  if (ts.isConditionalExpression(parent) || ts.isParenthesizedExpression(parent)) return refusalAt(parent)
  if (ts.isBinaryExpression(parent)) return refusalAt(parent)
  if (ts.isCallExpression(parent) || ts.isNewExpression(parent)) return argumentOf(parent)
  // The advice of an unavailable server.
  if (ts.isPropertyDeclaration(parent)) return nameOf(parent) === 'advice' ? { code: 'STORE_UNAVAILABLE' } : null
  if (ts.isPropertyAssignment(parent))
    return MEMBERS.has(nameOf(parent)) && !isOfSuccess(parent.parent) ? { code: null } : null
  // A pattern, and the sentence for it.
  if (ts.isArrayLiteralExpression(parent))
    return ts.isRegularExpressionLiteral(parent.elements[0]!) ? { code: null } : null
  return null
}

const sentencesOf = (path: string): Sentence[] => {
  const source = ts.createSourceFile(path, readFileSync(join(ROOT, path), 'utf8'), ts.ScriptTarget.Latest, true)
  const found: Sentence[] = []
  const visit = (node: ts.Node): void => {
    const refusal = isText(node) && isSentence(textOf(node)) ? refusalAt(node) : null
    if (refusal && isText(node)) {
      const { line } = source.getLineAndCharacterOfPosition(node.getStart())
      found.push({ at: `${path}:${line + 1}`, text: textOf(node), ...refusal })
    }
    ts.forEachChild(node, visit)
  }
  visit(source)
  return found
}

export const apiSentences = (): Sentence[] =>
  FOLDERS.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
      .map((entry) => relative(ROOT, join(entry.parentPath ?? entry.path, entry.name)))
      .filter((path) => !NO_ANSWERS.test(path))
      .flatMap(sentencesOf),
  )
