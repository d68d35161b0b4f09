import { setImmediate as turn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { embeddedFetch, embeddedRoot } from './embedded-accounts.ts';

test('an abort reaches the gateway even after the request was garbage-collected', async () => {
  setFlagsFromString('--expose-gc');
  const gc = runInNewContext('gc') as () => void;
  let seen: AbortSignal | undefined;
  const fetch = embeddedFetch({
    fetch: async (request) => {
      seen = request.signal;
      return new Response(new ReadableStream());
    },
  });
  const abort = new AbortController();
  const response = await fetch(embeddedRoot, { signal: abort.signal });
  for (let times = 0; times < 5; times += 1) {
    await turn();
    gc();
  }
  abort.abort(new Error('stopped'));
  expect(seen?.aborted).toBe(true);
  await expect(response.text()).rejects.toThrow('stopped');
});
