import type { Principal } from '../auth/principal.ts';
import { Secret } from '../auth/secret.ts';
import type { BodyPlace } from '../body/body-budget.ts';
import type { Question } from '../engine/answer.ts';
import { chatBodyLimit } from '../http/policies.ts';
import { type BodySource, onlyBlock, readBlocks } from '../http/read-body.ts';
import { lightBytes, parseLightBody } from '../json/parse-json.ts';
import type { Packed } from '../providers/packed-request.ts';
import { workerPool } from '../threads/worker-pool.ts';
import { questionTask } from './question-task.ts';
import type { ChatFields, EarlierItems, QuestionReader } from './read-question.ts';

/** A request in the engine's shape, and what only its writer needs. */
export interface ChatCall extends Pick<ChatFields, 'includeUsage' | 'customTools' | 'digest' | 'echo'> {
  readonly question: Question;
}

/** Who sends a chat request, and its body. */
export interface ChatSource {
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
    ...{ requestId, principal, packed },
    // Kept with the request's record, where a caller whose connection was lost before it saw our id finds it (§10).
    metadata: clientRequestId === null ? metadata : { ...metadata, client_request_id: clientRequestId },
    byoKey: byoKey === null ? null : new Secret(byoKey),
    fullRouting: request.header('x-portico-route-detail') === 'full',
  };
  return { question, includeUsage, customTools, digest, echo };
}
