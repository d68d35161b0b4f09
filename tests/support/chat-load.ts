import { setTimeout as delay } from 'node:timers/promises';
import { usdAmount } from '#shared/wire/scalars.ts';
import { pricedModel } from './priced-upstream.ts';

/** The cost of an answer that a client has read to its end. From then on the ledger must agree with it. */
export interface ReportedCost {
  readonly requestId: string;
  readonly costUsd: string;
}

export type Answer =
  | { readonly kind: 'complete'; readonly reported: ReportedCost }
  | { readonly kind: 'refused'; readonly retryAfterMs: number }
  | { readonly kind: 'broken' };

interface Asking {
  readonly url: string;
  readonly key: string;
  readonly stream: boolean;
  readonly body?: Readonly<Record<string, unknown>>;
}

/** Sends one request. `refused` is an error status below 500; `broken` is an answer that did not arrive completely. */
export async function ask({ url, key, stream, body }: Asking): Promise<Answer> {
  try {
    const response = await fetch(`${url}/chat`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: pricedModel, prompt: 'Say hello.', max_tokens: 200, stream, ...body }),
    });
    const text = await response.text();
    if (response.status >= 500) return { kind: 'broken' };
    if (response.status !== 200)
      return { kind: 'refused', retryAfterMs: Number(response.headers.get('retry-after-ms') ?? 0) };
    const last = stream ? lastEvent(text) : JSON.parse(text);
    if (last === null) return { kind: 'broken' };
    const requestId = response.headers.get('x-request-id') ?? '';
    return { kind: 'complete', reported: { requestId, costUsd: usdAmount.parse(last.cost_usd) } };
  } catch (error) {
    // The process was killed during the request, so the client sees a broken connection.
    if (error instanceof TypeError || error instanceof SyntaxError) return { kind: 'broken' };
    throw error;
  }
}

/** Returns the event with the cost, or null if the stream did not end with `[DONE]`. */
function lastEvent(text: string) {
  const events = text.split('\n\n').flatMap((event) => (event.startsWith('data: ') ? [event.slice(6)] : []));
  return events.at(-1) === '[DONE]' ? JSON.parse(events.at(-2) ?? 'null') : null;
}

export interface Load {
  /** The costs that clients have received so far. */
  readonly reported: ReportedCost[];
  readonly counts: Record<Answer['kind'], number>;
  /** Resolves when this many more answers were read to their end. */
  more(answers: number): Promise<void>;
  stop(): Promise<void>;
}

const askAgainMs = 10;

/**
 * Starts clients that send one request after another until they are stopped. Each request goes to a gateway
 * that is running at that moment, and the keys take turns. A client that a rate limit refuses waits for as
 * long as the answer asks it to.
 */
export function startLoad(clients: number, targets: () => readonly string[], keys: readonly string[]): Load {
  const reported: ReportedCost[] = [];
  const counts = { complete: 0, refused: 0, broken: 0 };
  const waiting = new Set<{ count: number; resolve: () => void }>();
  const stopped = new AbortController();
  const { signal } = stopped;
  let requestNumber = 0;

  async function client() {
    while (!signal.aborted) {
      const urls = targets();
      requestNumber += 1;
      const url = urls[requestNumber % Math.max(1, urls.length)];
      if (!url) {
        // Without a pause the clients would take the processor from the gateway that is starting.
        await delay(askAgainMs);
        continue;
      }
      const answer = await ask({ url, key: keys[requestNumber % keys.length] ?? '', stream: requestNumber % 2 === 0 });
      counts[answer.kind] += 1;
      if (answer.kind === 'refused') await delay(answer.retryAfterMs, null, { signal }).catch(() => {});
      if (answer.kind !== 'complete') continue;
      reported.push(answer.reported);
      for (const waiter of [...waiting].filter(({ count }) => reported.length >= count)) {
        waiting.delete(waiter);
        waiter.resolve();
      }
    }
  }

  const all = Promise.all(Array.from({ length: clients }, client));
  return {
    reported,
    counts,
    more: (answers) =>
      Promise.race([
        new Promise<void>((resolve) => waiting.add({ count: reported.length + answers, resolve })),
        // If a client fails for a reason that isn't one of the faults under test, the test fails at once.
        all.then(() => {}),
      ]),
    async stop() {
      stopped.abort();
      await all;
    },
  };
}
