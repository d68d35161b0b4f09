import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { gatewayClient } from './gateway-client.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
afterEach(() => void vi.useRealTimers());

/** A gateway whose answers cost 0.5 without naming a unit. `balances` answers `/credits` and `/account`. */
function openHouse(balances: (path: string) => Response) {
  const asked: string[] = [];
  const client = gatewayClient({
    baseUrl: 'http://house.invalid',
    apiKey: 'sk-house',
    fetch: async (input) => {
      const path = new URL(String(input)).pathname;
      asked.push(path);
      if (path !== '/v1/chat/completions') return balances(path);
      const usage = { prompt_tokens: 4, completion_tokens: 2, cost: 0.5 };
      const chunks = [{ choices: [{ delta: { content: 'Words.' }, finish_reason: 'stop' }] }, { choices: [], usage }];
      const events = [...chunks.map((chunk) => JSON.stringify(chunk)), '[DONE]'].map((data) => `data: ${data}\n\n`);
      return new Response(events.join(''), { headers: { 'content-type': 'text/event-stream' } });
    },
  });
  /** Asks a question. Returns its cost in dollars and what the gateway was asked besides. */
  const getCost = async () => {
    asked.length = 0;
    let cost: string | null = null;
    for await (const { usage } of await client.completionStream({ model: 'bare', messages: [] }))
      cost = usage?.cost_usd ?? cost;
    return [cost, ...asked.slice(1)];
  };
  return { getCost };
}

const failing = () => new Response('', { status: 503 });

test('a gateway that fails to report its unit is asked again after a minute, not at each answer', async () => {
  let answer = failing;
  const { getCost } = openHouse((path) => (path.endsWith('/credits') ? answer() : failing()));
  expect(await getCost()).toEqual(['0.5', '/v1/credits', '/account']);
  answer = () => Response.json({ balance: 12.5, currency: 'EUR' });
  expect(await getCost()).toEqual(['0.5']);
  vi.advanceTimersByTime(59_000);
  expect(await getCost()).toEqual(['0.5']);
  vi.advanceTimersByTime(1_000);
  expect(await getCost()).toEqual([null, '/v1/credits', '/credits']);
  vi.advanceTimersByTime(3_600_000);
  expect(await getCost()).toEqual([null]);
});

test('a unit that only the account reports is found although the credits fail', async () => {
  const { getCost } = openHouse((path) =>
    path === '/account' ? Response.json({ balance: { amount: 12.5, currency: 'EUR' } }) : failing(),
  );
  expect(await getCost()).toEqual([null, '/v1/credits', '/account']);
});

test('a gateway that refuses its credits and its account counts in dollars and is never asked again', async () => {
  const { getCost } = openHouse(() => Response.json({ error: 'Not with this key.' }, { status: 403 }));
  expect(await getCost()).toEqual(['0.5', '/v1/credits', '/account']);
  vi.advanceTimersByTime(3_600_000);
  expect(await getCost()).toEqual(['0.5']);
});
