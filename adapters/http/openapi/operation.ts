// Tests: tests/integration/openapi/guards.test.ts
/** The parts of a route's declaration. Each part does its work for a request and describes itself for the OpenAPI document. */
import type { z } from 'zod'
import type { Scope } from '../../../domain/account/api-keys.ts'
import type { ApiContext } from '../context.ts'
import type { ErrorCode } from '../middleware/errors.ts'
import type { Credential, Guard } from '../middleware/guard.ts'

export interface DocumentedBody {
  schema: z.ZodType
  required: boolean
  /** JSON by default. */
  mediaTypes?: readonly string[]
}

/** Reads and validates the input. The handler receives the returned value. */
export interface Input<Value> extends Guard {
  read(context: ApiContext): Value | Promise<Value>
  query?: z.ZodObject
  body?: DocumentedBody
}

export interface DocumentedAnswer {
  status: number
  description: string
  mediaType: string
  /** Null if the response is not JSON. */
  schema: z.ZodType | null
}

/** Writes the handler's value to the response. */
export interface Answer<Value> extends Guard {
  write(context: ApiContext, value: Value): void
  answers: readonly DocumentedAnswer[]
}

type MemberWith<Parts extends readonly Guard[], Kind> = Extract<Parts[number], Kind>
/* oxlint-disable typescript/no-explicit-any -- matches any value, to infer it */
export type InputOf<Parts extends readonly Guard[]> =
  MemberWith<Parts, Input<any>> extends Input<infer Value> ? Value : never
export type OutputOf<Parts extends readonly Guard[]> =
  MemberWith<Parts, Answer<any>> extends Answer<infer Value> ? Value : never
/* oxlint-enable typescript/no-explicit-any */

export type Method = 'get' | 'head' | 'post' | 'put' | 'delete'

/** One operation, as the document describes it. */
export interface Operation {
  method: Method
  /** In the router's format: `/api/webhooks/:id`. */
  path: string
  tag: string
  summary: string
  credentials: readonly Credential[]
  operatorOnly: boolean
  /** A scoped key needs one of these; null if the operation does not require an account's credential. */
  scopes: readonly Scope[] | null
  refuses: readonly ErrorCode[]
  query: z.ZodObject | null
  body: DocumentedBody | null
  answers: readonly DocumentedAnswer[]
}

export const isInput = (part: Guard): part is Input<unknown> => 'read' in part
export const isAnswer = (part: Guard): part is Answer<unknown> => 'write' in part
