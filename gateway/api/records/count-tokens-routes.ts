import { Hono } from 'hono';
import { type AdmissionDeps, admit } from '../../engine/admit.ts';
import type { AppEnv } from '../../http/context.ts';
import { getBody } from '../../http/read-body.ts';
import { readChatRequest } from '../chat/read-chat-request.ts';
import { warningHeaders } from '../chat/stream-writer.ts';
import { countTokensReader } from '../messages/read-messages-request.ts';

/** Serves `POST /v1/messages/count_tokens`: the estimate by which a request would be admitted. No model is called. */
export function countTokensRoutes(deps: AdmissionDeps): Hono<AppEnv> {
  return new Hono<AppEnv>().post('/v1/messages/count_tokens', async (context) => {
    const { requestId, principal, memoryLease, request: received } = context.var;
    const source = { requestId, principal, memoryLease, clientRequestId: received.clientRequestId };
    const request = await readChatRequest(source, getBody(context.req.raw), countTokensReader);
    const { features, warnings } = admit(request, deps);
    const headers = { 'request-id': requestId, ...warningHeaders([...request.warnings, ...warnings]) };
    return context.json({ input_tokens: features.inputTokens }, 200, headers);
  });
}
