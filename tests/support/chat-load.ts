import { setTimeout as delay } from 'node:timers/promises';
import { usdAmount } from '#shared/wire/scalars.ts';
import { pricedModel } from './priced-upstream.ts';

/** What a client has read to its end: it may rely on that from then on. */
export interface ProblemText {
  readonly requestId: string;
  readonly costUsd: string;
}

export type Answer =
  | { readonly kind: 'complete'; readonly told: ProblemText }
  | { readonly kind: 'refused'; readonly retryAfterMs: number }
  | { readonly kind: 'broken' };

interface Asking {
  readonly url: string;
  readonly key: string;
  readonly stream: boolean;
  readonly body?: Readonly<Record<string, unknown>>;
}

/** Asks once. `refused`: an error status; `broken`: no whole answer. */
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
    return { kind: 'complete', told: { requestId, costUsd: usdAmount.parse(last.cost_usd) } };
  } catch (error) {
    // The process was killed under the request: what the client sees then is a broken connection.
    if (error instanceof TypeError || error instanceof SyntaxError) return { kind: 'broken' };
    throw error;
  }
}

/** The event that carries the bill; null where the stream did not end with `[DONE]`. */
function lastEvent(text: string) {
  const events = text.split('\n\n').flatMap((event) => (event.startsWith('data: ') ? [event.slice(6)] : []));
  return events.at(-1) === '[DONE]' ? JSON.parse(events.at(-2) ?? 'null') : null;
}

export interface Load {
  /** What clients were told so far. */
  readonly told: ProblemText[];
  readonly counts: Record<Answer['kind'], number>;
  /** Resolves when this many more answers were read to their end. */
  more(answers: number): Promise<void>;
  stop(): Promise<void>;
}

const askAgainMs = 10;

/**
 * Clients that ask one after the other until they are stopped, each of whichever gateway there is at the time, with one key after the
 * other. Where a limit refuses one, it waits for as long as it is told.
 */
export function startLoad(clients: number, targets: () => readonly string[], keys: readonly string[]): Load {
  const told: ProblemText[] = [];
  const counts = { complete: 0, refused: 0, broken: 0 };
  const waiting = new Set<{ at: number; resolve: () => void }>();
  const stopped = new AbortController();
  const { signal } = stopped;
  let turn = 0;

  async function client() {
    while (!signal.aborted) {
      const urls = targets();
      turn += 1;
      const url = urls[turn % Math.max(1, urls.length)];
      if (!url) {
        // Asked at once again, and again, they would take the processor from the gateway that starts.
        await delay(askAgainMs);
        continue;
      }
      const answer = await ask({ url, key: keys[turn % keys.length] ?? '', stream: turn % 2 === 0 });
      counts[answer.kind] += 1;
      if (answer.kind === 'refused') await delay(answer.retryAfterMs, null, { signal }).catch(() => {});
      if (answer.kind !== 'complete') continue;
      told.push(answer.told);
      for (const one of [...waiting].filter(({ at }) => told.length >= at)) {
        waiting.delete(one);
        one.resolve();
      }
    }
  }

  const all = Promise.all(Array.from({ length: clients }, client));
  return {
    told,
    counts,
    more: (answers) =>
      Promise.race([
        new Promise<void>((resolve) => waiting.add({ at: told.length + answers, resolve })),
        // A client that fails for another reason than a fault fails the test at once.
        all.then(() => {}),
      ]),
    async stop() {
      stopped.abort();
      await all;
    },
  };
}
