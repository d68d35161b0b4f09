import type { Warning } from '#shared/wire/chat-response.ts';
import type { Principal } from '../../access/auth/principal.ts';
import { Secret } from '../../access/auth/secret.ts';
import type { HttpExchange } from '../../http/exchange.ts';
import { embeddingsBodyLimit } from '../../http/policies.ts';
import { onlyBlock, readBlocks } from '../../http/read-body.ts';
import type { AdmittedContext } from '../../http/request-context.ts';
import { parseLightBody } from '../../runtime/json/parse-json.ts';
import { workerPool } from '../../runtime/threads/worker-pool.ts';
import { embeddingCallTask } from './embedding-call-task.ts';
import { type EmbeddingFields, embeddingFields } from './read-fields.ts';

/** A request for embeddings, read and checked. */
export interface EmbeddingCall extends Omit<EmbeddingFields, 'byoKey'> {
  readonly requestId: string;
  readonly principal: Principal;
  readonly byoKey: Secret | null;
  readonly fullRouting: boolean;
}

/** Reads a request: a small one here, a large one on a worker thread. Throws the contract's 400 codes and 413. */
export async function readEmbeddingCall(context: AdmittedContext, request: HttpExchange): Promise<EmbeddingCall> {
  const { requestId, clientRequestId, principal, memoryLease } = context;
  const blocks = await readBlocks(request, embeddingsBodyLimit, memoryLease);
  const { byoKey, metadata, ...fields } = await getFields(
    blocks,
    request.header('x-portico-strict') === '1',
    principal.accountId,
  );
  const repeats = request.header('idempotency-key') !== null;
  return {
    ...fields,
    warnings: repeats ? [...fields.warnings, notKept] : fields.warnings,
    requestId,
    principal,
    metadata: clientRequestId === null ? metadata : { ...metadata, client_request_id: clientRequestId },
    byoKey: byoKey === null ? null : new Secret(byoKey),
    fullRouting: request.header('x-portico-route-detail') === 'full',
  };
}

/**
 * Answers aren't stored for repeats: an answer may have tens of megabytes, and the same inputs give the same vectors.
 */
const notKept: Warning = {
  code: 'idempotency_not_kept',
  param: 'Idempotency-Key',
  message: 'Embeddings are not kept for a repeat of the request: it is asked, and charged, again.',
};

function getFields(blocks: Uint8Array[], strict: boolean, account: string): EmbeddingFields | Promise<EmbeddingFields> {
  const block = onlyBlock(blocks);
  const light = block && parseLightBody(block);
  return light
    ? embeddingFields(light.value, strict)
    : workerPool.run(embeddingCallTask, { blocks, strict }, blocks, { account });
}
