import { createHash } from 'node:crypto';
import { getRetryAfter } from '#shared/client/retry-after.ts';

/** The user requests answers, and the gateway decides on them. The app itself requests everything else, repeatedly. */
const answers = new Set(['/chat', '/v1/chat/completions']);
const asksToWait = new Set([429, 503]);

interface Refused {
  readonly status: number;
  readonly body: string;
  readonly headers: Headers;
  /** On the monotonic clock. */
  readonly until: number;
}

/**
 * Returns a `fetch` that respects the wait of a 429 or 503: until the wait is over, it returns the same response with
 * the remaining time. Waits are kept per credential and kind of record. Requests for answers always go through.
 */
export function waitAsAsked(send: typeof fetch, elapsed: () => number): typeof fetch {
  const refused = new Map<string, Refused>();

  return async (input, init) => {
    const { origin, pathname } = new URL(input instanceof Request ? input.url : input);
    if (answers.has(pathname)) return send(input, init);
    const credential = new Headers(init?.headers).get('authorization') ?? '';
    const asker = createHash('sha256').update(credential).digest('base64');
    const [, first, second] = pathname.split('/');
    const key = [origin, first, second, asker].join(' ');
    const known = refused.get(key);
    if (known && elapsed() < known.until) return again(known, known.until - elapsed());
    refused.delete(key);
    const response = await send(input, init);
    const waitMs = asksToWait.has(response.status) ? getRetryAfter(response.headers) : null;
    if (waitMs === null) return response;
    const { status, headers } = response;
    const refusal = { status, headers, body: await response.text(), until: elapsed() + waitMs };
    refused.set(key, refusal);
    return again(refusal, waitMs);
  };
}

function again({ status, body, headers }: Refused, leftMs: number): Response {
  const now = new Headers({ 'content-type': headers.get('content-type') ?? 'text/plain' });
  now.set('retry-after-ms', String(Math.ceil(leftMs)));
  return new Response(body, { status, headers: now });
}
