import { Hono } from 'hono';
import { readJson } from '../lib/read-json.ts';
import { type QuoteDeps, quoteFor } from '../quote.ts';
import { warningHeaders } from './chat-headers.ts';
import type { AppEnv } from './context.ts';
import { chatBodyLimit } from './policies.ts';
import { completionQuestion, promptQuestion } from './question.ts';

/** `POST /v1/quote`: the body of either chat form, told apart by `messages` (wire contract §10). */
export function quoteRoutes(deps: QuoteDeps): Hono<AppEnv> {
  return new Hono<AppEnv>().post('/v1/quote', async (context) => {
    const { requestId, principal } = context.var;
    const body = await readJson(context.req.raw, chatBodyLimit);
    const read = body.messages == null ? promptQuestion : completionQuestion;
    const { question } = read(body, { requestId, principal, headers: context.req.raw.headers });
    const quoted = await quoteFor(question, deps);
    return context.json(quoted, 200, warningHeaders(quoted.warnings));
  });
}
