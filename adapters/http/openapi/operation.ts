/** What the line of a route is made of; each part does its work for a request and says what it is for the document. */
import type { z } from 'zod'
import type { Scope } from '../../../domain/account/api-keys.ts'
import type { ApiContext, ApiMiddleware } from '../context.ts'
import type { ErrorCode } from '../middleware/errors.ts'

/** Ways to say who calls; `document.ts` tells how each looks in a request. */
export type Credential = 'jwt' | 'api_key' | 'session' | 'device' | 'receive_key'

/** Nothing but what is documented, and maybe a step that runs before the input is read. */
export interface Part {
  step?: ApiMiddleware
  /** Any one of them opens the operation. */
  credentials?: readonly Credential[]
  /** Others than the operator get 404. */
  operatorOnly?: true
  /** Any one of them lets a scoped key do it; none: no scoped key may. Not said: `read` for a GET, else `write`. */
  scopes?: readonly Scope[]
  /** An answer to a scoped key holds its secrets too. */
  showsSecrets?: true
  refuses?: readonly ErrorCode[]
}

export interface DocumentedBody {
  schema: z.ZodType
  required: boolean
  /** JSON where it is not given. */
  mediaTypes?: readonly string[]
}

/** Reads and checks what came in; the handler gets what it returns. */
export interface Input<Value> extends Part {
  read(context: ApiContext): Value | Promise<Value>
  query?: z.ZodObject
  body?: DocumentedBody
}

export interface DocumentedAnswer {
  status: number
  description: string
  mediaType: string
  /** None where the answer is no JSON. */
  schema: z.ZodType | null
}

/** Writes what the handler returned. */
export interface Answer<Value> extends Part {
  write(context: ApiContext, value: Value): void
  answers: readonly DocumentedAnswer[]
}

type MemberWith<Parts extends readonly Part[], Kind> = Extract<Parts[number], Kind>
/* eslint-disable @typescript-eslint/no-explicit-any -- matches any value, to infer it */
export type InputOf<Parts extends readonly Part[]> =
  MemberWith<Parts, Input<any>> extends Input<infer Value> ? Value : never
export type OutputOf<Parts extends readonly Part[]> =
  MemberWith<Parts, Answer<any>> extends Answer<infer Value> ? Value : never
/* eslint-enable @typescript-eslint/no-explicit-any */

export type Method = 'get' | 'head' | 'post' | 'put' | 'delete'

/** One operation, as the document shows it. */
export interface Operation {
  method: Method
  /** As the router takes it: `/api/webhooks/:id`. */
  path: string
  tag: string
  summary: string
  credentials: readonly Credential[]
  operatorOnly: boolean
  /** Scopes of which a scoped key needs one; null where no account's credential is asked for. */
  scopes: readonly Scope[] | null
  refuses: readonly ErrorCode[]
  query: z.ZodObject | null
  body: DocumentedBody | null
  answers: readonly DocumentedAnswer[]
}

export const isInput = (part: Part): part is Input<unknown> => 'read' in part
export const isAnswer = (part: Part): part is Answer<unknown> => 'write' in part
