import { Hono } from 'hono';
import { type QuoteDeps, quoteFor } from '../quote.ts';
import { readAsked } from './asked.ts';
import { warningHeaders } from './chat-headers.ts';
import type { AppEnv } from './context.ts';

/** `POST /v1/quote`: the body of either chat form, told apart by `messages` (wire contract §10). */
export function quoteRoutes(deps: QuoteDeps): Hono<AppEnv> {
  return new Hono<AppEnv>().post('/v1/quote', async (context) => {
    const { question } = await readAsked(context, 'either');
    const quoted = await quoteFor(question, deps);
    return context.json(quoted, 200, warningHeaders(quoted.warnings));
  });
}
