import type { z } from 'zod';
import { AppError } from '#shared/errors.ts';
import type { CompletionRequest } from '#shared/wire/chat-request.ts';
import type { Warning } from '#shared/wire/chat-response.ts';
import type { Principal } from '../../access/auth/principal.ts';
import { Secret } from '../../access/auth/secret.ts';
import type { Question } from '../../engine/answer.ts';
import { chatBodyLimit } from '../../http/policies.ts';
import { type BodySource, onlyBlock, readBlocks } from '../../http/read-body.ts';
import { requestError } from '../../http/request-error.ts';
import { shortened } from '../../http/shorten-name.ts';
import type { Packed } from '../../providers/packed-request.ts';
import type { BodyPlace } from '../../runtime/body/body-blocks.ts';
import { lightBytes, parseLightBody } from '../../runtime/json/parse-json.ts';
import { workerPool } from '../../runtime/threads/worker-pool.ts';
import { questionTask } from './question-task.ts';
import type { ChatFields, EarlierItems, QuestionReader } from './read-question.ts';
import { capped, maxWarnings } from './request-warnings.ts';

/** A request in the engine's shape, and what only its writer needs. */
export interface ChatCall extends Pick<ChatFields, 'includeUsage' | 'customTools' | 'digest' | 'echo'> {
  readonly question: Question;
}

/** Who sends a chat request, and its body. */
interface ChatSource {
  readonly requestId: string;
  readonly clientRequestId: string | null;
  readonly principal: Principal;
  readonly place: BodyPlace;
  readonly request: BodySource;
}

/** Finds what a body refers to of earlier answers; null where it refers to nothing. */
export type Recall = (principal: Principal, body: readonly Uint8Array[]) => Promise<EarlierItems> | null;

/**
 * Reads a chat request: a small one here and now, a large one on a thread of its own. Throws the contract's 400 codes, 413
 * `request_too_large` and 503 `server_overloaded`.
 */
export async function readChatCall(source: ChatSource, reader: QuestionReader, recall?: Recall): Promise<ChatCall> {
  const { request } = source;
  const blocks = await readBlocks(request, chatBodyLimit, source.place);
  const recalling = recall?.(source.principal, blocks);
  const earlier = recalling == null ? undefined : await recalling;
  const options = {
    ...(earlier ? { earlier } : {}),
    strict: request.header('x-portico-strict') === '1',
    wantsDigest: request.header('idempotency-key') !== null,
  };
  const block = onlyBlock(blocks);
  const light = block && (earlier?.length ?? 0) <= lightBytes && parseLightBody(block);
  if (light) return chatCall(source, reader.read(light.value, { ...options, messages: light.messages }), null);
  const account = source.principal.accountId;
  const input = { blocks, form: reader.name, options };
  const { fields, packed } = await workerPool.run(questionTask, input, blocks, { account });
  return chatCall(source, fields, { ...packed, account });
}

function chatCall(
  { requestId, clientRequestId, principal, request }: ChatSource,
  { includeUsage, customTools, digest, echo, byoKey, metadata, ...rest }: ChatFields,
  packed: Packed | null,
): ChatCall {
  const question: Question = {
    ...rest,
    requestId,
    principal,
    packed,
    // Kept with the request's record, where a caller whose connection was lost before it saw our id finds it (§10).
    metadata: clientRequestId === null ? metadata : { ...metadata, client_request_id: clientRequestId },
    byoKey: byoKey === null ? null : new Secret(byoKey),
    fullRouting: request.header('x-portico-route-detail') === 'full',
  };
  return { question, includeUsage, customTools, digest, echo };
}

/** Reads a body by its schema. Throws the contract's 400 codes for the first fault. */
export function parseRequest<Schema extends z.ZodType>(schema: Schema, body: unknown): z.output<Schema> {
  const result = schema.safeParse(body);
  if (result.success) return result.data;
  throw requestError(result.error.issues, body);
}

/** The fields of a body that its form does not name; `null` means nothing. */
export const unknownFields = (body: Record<string, unknown>, shape: Record<string, unknown>): string[] =>
  Object.keys(body).filter((name) => !Object.hasOwn(shape, name) && body[name] != null);

/** Says what was ignored, the first of it by name. Throws `unknown_parameter` where the caller asked for that (wire contract §1.0). */
export function unknownWarnings(
  body: Record<string, unknown>,
  shape: Record<string, unknown>,
  strict: boolean,
): Warning[] {
  const unknown = unknownFields(body, shape);
  if (strict && unknown[0] !== undefined) throw unknownParameter(unknown[0]);
  return capped(unknown.slice(0, maxWarnings).map(ignored), unknown.length);
}

export function unknownParameter(name: string): AppError {
  const param = shortened(name);
  return new AppError('unknown_parameter', `There is no parameter "${param}".`, { param });
}

export function ignored(name: string): Warning {
  const param = shortened(name);
  return { code: 'unknown_parameter', param, message: `There is no parameter "${param}"; it was ignored.` };
}

const references = new Set(['$ref', '$dynamicRef', '$recursiveRef']);

/** Refuses schemas that refer to a place outside themselves: a server that resolves the reference would fetch it. */
export function checkReferences({
  tools,
  response_format: format,
}: Pick<CompletionRequest, 'tools' | 'response_format'>): void {
  for (const [index, tool] of (tools ?? []).entries()) {
    checkSchema(tool.function.parameters, `tools[${index}].function.parameters`);
  }
  if (format?.type === 'json_schema') checkSchema(format.json_schema.schema, 'response_format.json_schema.schema');
}

function checkSchema(schema: unknown, param: string): void {
  const left: unknown[] = [schema];
  for (let value = left.pop(); value !== undefined; value = left.pop()) {
    if (typeof value !== 'object' || value === null) continue;
    for (const [key, inner] of Object.entries(value)) {
      if (references.has(key) && typeof inner === 'string' && !inner.startsWith('#')) throw outside(param, key);
      if (inner !== undefined) left.push(inner);
    }
  }
}

const outside = (param: string, key: string) =>
  new AppError('invalid_value', `A "${key}" in "${param}" must stay inside the schema, such as "#/$defs/name".`, {
    param,
  });
