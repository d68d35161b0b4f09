import { Hono } from 'hono';
import type { AppEnv } from '../../http/context.ts';
import { getBody } from '../../http/read-body.ts';
import { warningHeaders } from '../chat/chat-headers.ts';
import { type QuoteDeps, quoteFor } from '../chat/quote-request.ts';
import { eitherReader } from '../chat/read-question.ts';
import { readChatCall } from '../chat/read-request.ts';

/** `POST /v1/quote`: the body of either chat form, told apart by `messages` (wire contract §10). */
export function quoteRoutes(deps: QuoteDeps): Hono<AppEnv> {
  return new Hono<AppEnv>().post('/v1/quote', async (context) => {
    const { requestId, principal, place, received } = context.var;
    const source = { requestId, principal, place, clientRequestId: received.clientRequestId };
    const { question } = await readChatCall({ ...source, request: getBody(context.req.raw) }, eitherReader);
    const quoted = await quoteFor(question, deps);
    return context.json(quoted, 200, warningHeaders(quoted.warnings));
  });
}
