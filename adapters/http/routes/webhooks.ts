/** Webhook rules (interface, section 4.3). */
import type Router from '@koa/router'
import type { z } from 'zod'
import type { Rule } from '../../../domain/account/account.ts'
import { notFound } from '../../../domain/account/refusals.ts'
import { changeRule, createRule, deleteRule } from '../../../workflows/accounts/rules.ts'
import { sendTest } from '../../../workflows/deliver/test-call.ts'
import { retryFailed } from '../../../workflows/transactions/by-hand.ts'
import { LOGS_A_PAGE, logsOfRule } from '../../postgres/queries/attempts.ts'
import { failedTransactions } from '../../postgres/queries/transactions.ts'
import {
  answer,
  answerCreated,
  answerMessage,
  idOf,
  occasionOf,
  type ApiContext,
  type ApiMiddleware,
  type ApiState,
  type Handler,
} from '../context.ts'
import { body, noBody, query } from '../input.ts'
import { settled, type ApiParts } from '../parts.ts'
import { presentRule } from '../presenters/account.ts'
import { presentLog } from '../presenters/transaction.ts'
import { Page, RuleChange, RuleCreation } from '../requests.ts'

/** Interface, section 8. */
const BULK_RETRY_LIMIT = 100

export const webhookRoutes = (router: Router<ApiState>, parts: ApiParts, signedIn: ApiMiddleware): void => {
  const { clock, database, vault } = parts

  const ruleOf = (context: ApiContext): Rule => {
    const rule = context.state.account.rules.get(idOf(context))
    if (!rule) throw notFound('webhook rule')
    return rule
  }

  const listRules: ApiMiddleware = (context) => {
    const { user_id, rules, systems } = context.state.account
    answer(context, [...rules.values()].map(presentRule(user_id, systems, vault)).reverse())
  }

  const addRule: Handler<z.infer<typeof RuleCreation>> = async (context, fields) => {
    const written = await createRule(parts, occasionOf(context, clock), fields)
    await settled(parts, written)
    answerCreated(context, presentRule(context.state.account.user_id, written.systems, vault)(written.rule))
  }

  const updateRule: Handler<z.infer<typeof RuleChange>> = async (context, change) => {
    const written = await changeRule(parts, occasionOf(context, clock), idOf(context), change)
    await settled(parts, written)
    answer(context, presentRule(context.state.account.user_id, written.systems, vault)(written.rule))
  }

  const removeRule: Handler<undefined> = async (context) => {
    await settled(parts, await deleteRule(parts, occasionOf(context, clock), idOf(context)))
    answerMessage(context, 'The webhook rule was deleted.')
  }

  const testRule: Handler<undefined> = async (context) => {
    const rule = ruleOf(context)
    const gone = new AbortController()
    context.res.once('close', () => gone.abort())
    const secret = vault.open(rule.sealed_secret)
    context.body = await sendTest({ ...rule, secret }, parts.sender, clock.now(), gone.signal)
  }

  const showLogs: Handler<z.infer<typeof Page>> = async (context, { page }) => {
    const { rule_id } = ruleOf(context)
    const { rows, total } = await logsOfRule(database, context.state.account.user_id, rule_id, page)
    context.body = { success: true, data: rows.map(presentLog), total, page, limit: LOGS_A_PAGE }
  }

  const bulkRetry: Handler<undefined> = async (context) => {
    const { account } = context.state
    const ids = await failedTransactions(database, account.user_id, clock.now(), BULK_RETRY_LIMIT)
    const retried = await retryFailed(parts, account, occasionOf(context, clock), ids)
    await settled(parts, retried)
    context.body = { success: true, count: retried.count }
  }

  router.get('/api/webhooks', signedIn, listRules)
  router.post('/api/webhooks', signedIn, body(RuleCreation, addRule))
  router.post('/api/webhooks/bulk-retry', signedIn, noBody(bulkRetry))
  router.put('/api/webhooks/:id', signedIn, body(RuleChange, updateRule))
  router.delete('/api/webhooks/:id', signedIn, noBody(removeRule))
  router.post('/api/webhooks/:id/test', signedIn, noBody(testRule))
  router.get('/api/webhooks/:id/logs', signedIn, query(Page, showLogs))
}
