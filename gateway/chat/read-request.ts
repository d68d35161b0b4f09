import type { Context } from 'hono';
import { Secret } from '../auth/secret.ts';
import type { Question } from '../engine/answer.ts';
import { clientRequestId } from '../http/client-request-id.ts';
import type { AppEnv } from '../http/context.ts';
import { chatBodyLimit } from '../http/policies.ts';
import { onlyBlock, readBlocks } from '../http/read-body.ts';
import { parseLightBody } from '../json/parse-json.ts';
import type { Packed } from '../providers/packed-request.ts';
import { workshop } from '../threads/worker-pool.ts';
import { type QuestionForm, readQuestion, type SaidQuestion } from './read-question.ts';

/** A request in the engine's shape, and what only its writer needs. */
export interface Asked extends Pick<SaidQuestion, 'stream' | 'includeUsage' | 'digest'> {
  readonly question: Question;
}

/**
 * Reads a chat request: a small one here and now, a large one on a thread of its own. Throws the contract's 400 codes, 413
 * `request_too_large` and 503 `server_overloaded`.
 */
export async function readAsked(context: Context<AppEnv>, form: QuestionForm): Promise<Asked> {
  const request = context.req.raw;
  const blocks = await readBlocks(request, chatBodyLimit, context.var.place);
  const options = {
    strict: request.headers.get('x-portico-strict') === '1',
    wantsDigest: request.headers.has('idempotency-key'),
  };
  const block = onlyBlock(blocks);
  const light = block && parseLightBody(block);
  if (light) return askedBy(context, readQuestion(form, light.value, { ...options, messages: light.messages }), null);
  const account = context.var.principal.accountId;
  const { asked, packed } = await workshop.run('question', { blocks, form, options }, blocks, { account });
  return askedBy(context, asked, { ...packed, account });
}

function askedBy({ var: { requestId, principal }, req }: Context<AppEnv>, said: SaidQuestion, packed: Packed | null) {
  const { stream, includeUsage, digest, byoKey, metadata, ...rest } = said;
  const { headers } = req.raw;
  const question: Question = {
    ...rest,
    ...{ requestId, principal, packed },
    metadata: withClientRequestId(metadata, headers),
    byoKey: byoKey === null ? null : new Secret(byoKey),
    fullRouting: headers.get('x-portico-route-detail') === 'full',
  };
  return { question, stream, includeUsage, digest };
}

/** Kept with the request's record, where a caller whose connection was lost before it saw our id finds it (§10). */
function withClientRequestId(metadata: Question['metadata'], headers: Headers): Question['metadata'] {
  const id = clientRequestId(headers);
  return id === null ? metadata : { ...metadata, client_request_id: id };
}
