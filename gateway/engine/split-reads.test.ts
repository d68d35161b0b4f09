import { setImmediate as nextTick } from 'node:timers/promises';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { requestList } from '#shared/wire/request-record.ts';
import { getEvents } from '../../tests/gateway-doubles/events-of.ts';
import { openTestGateway, type TestGatewayOptions } from '../../tests/gateway-doubles/open-test-gateway.ts';
import { completionEvent } from '../../tests/gateway-doubles/raw-upstream.ts';
import { openUpstream, type Reply, streamReply, type Upstream } from '../../tests/gateway-doubles/upstream-server.ts';
import { Secret } from '../access/auth/secret.ts';

/**
 * Everything that one read of the upstream's socket brings is handled together. Neither client nor ledger may depend on how an answer was
 * split into reads.
 */

let upstream: Upstream;
beforeAll(async () => {
  upstream = await openUpstream(streamReply(''));
});
afterAll(() => upstream.close());

const usage = { prompt_tokens: 9, completion_tokens: 30, total_tokens: 39 };
const ending = [
  completionEvent({}, { finish_reason: 'stop' }),
  `data: ${JSON.stringify({ id: 'c', choices: [], usage })}\n\n`,
  'data: [DONE]\n\n',
];

const openServed = (options: TestGatewayOptions = {}) =>
  openTestGateway({
    plan: 'enterprise',
    providers: { openai: { apiKey: new Secret('sk-upstream'), baseUrl: `${upstream.origin}/v1` } },
    ...options,
  });

type Served = Awaited<ReturnType<typeof openServed>>;

/** Writes pieces to the socket. `turns` has the number of pieces for each turn of the event loop. */
const written =
  (pieces: readonly Uint8Array[], turns: readonly number[]): Reply =>
  async (_call, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    let left = turns[0] ?? 1;
    for (const [index, piece] of pieces.entries()) {
      response.write(piece);
      left -= 1;
      if (left > 0) continue;
      await nextTick();
      left = turns[index % Math.max(1, turns.length)] ?? 1;
    }
    response.end();
  };

/** Returns what the client and the ledger got, without the values that differ between any two answers. */
async function answered(served: Served, reply: Reply) {
  upstream.replyWith(reply);
  const question = { model: 'openai/gpt-4o-mini', stream: true, messages: [{ role: 'user', content: 'hi' }] };
  const events = await getEvents(await served.post('/v1/chat/completions', question));
  const [record] = requestList.parse(await (await served.call('/v1/requests')).json()).data;
  const { status, error_code, cost_usd, completion_tokens } = record ?? {};
  const received = events.map((event) =>
    event.replace(/"(id|request_id)":"[^"]*"/g, '"$1":""').replace(/"latency_ms":\d+/g, '"latency_ms":0'),
  );
  return { received, gatewayDb: { status, error_code, cost_usd, completion_tokens } };
}

const text = fc.oneof(
  { weight: 8, arbitrary: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 9 }) },
  fc.constantFrom('a'.repeat(40_000), `a${'😀'.repeat(9_000)}`),
);
const delta = fc.oneof(
  { weight: 8, arbitrary: fc.record({ content: text }) },
  fc.record({ reasoning_content: text }),
  fc.record({ content: text, refusal: text }),
  text.map((name) => ({ tool_calls: [{ index: 0, id: 'call', function: { name, arguments: name } }] })),
);

function cutAt(text: string, cuts: readonly number[]): Buffer[] {
  const bytes = Buffer.from(text);
  const ends = [...new Set(cuts.map((cut) => cut % bytes.length)), bytes.length].toSorted((a, b) => a - b);
  return ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end)).filter(({ length }) => length > 0);
}

describe('an answer that arrives in pieces of any size', () => {
  test('gives its client the same events, and the ledger the same amounts', async () => {
    const served = await openServed();
    const cuts = fc.array(fc.nat(), { maxLength: 40 });
    const turns = fc.array(fc.integer({ min: 1, max: 30 }), { minLength: 1, maxLength: 5 });
    const property = fc.asyncProperty(fc.array(delta, { maxLength: 25 }), cuts, turns, async (deltas, cut, turn) => {
      const events = [...deltas.map((delta) => completionEvent(delta)), ...ending];
      const byEvent = await answered(
        served,
        written(
          events.map((event) => Buffer.from(event)),
          [1],
        ),
      );
      expect(byEvent.received.at(-1)).toBe('[DONE]');
      expect(await answered(served, written(cutAt(events.join(''), cut), turn))).toEqual(byEvent);
      expect(await answered(served, written([Buffer.from(events.join(''))], [1]))).toEqual(byEvent);
    });
    await fc.assert(property, { numRuns: 25 });
  });

  test('ends at the same word when the credit ends', async () => {
    const words = Array.from({ length: 4_000 }, (_, index) => completionEvent({ content: ` word ${index}` }));
    const events = [...words, ...ending];
    const outcomes = [];
    for (const reply of [
      written(
        events.map((event) => Buffer.from(event)),
        [1],
      ),
      written(
        events.map((event) => Buffer.from(event)),
        [4_000],
      ),
      written([Buffer.from(events.join(''))], [1]),
    ]) {
      const { received, gatewayDb } = await answered(await openServed({ balance: '0.003' }), reply);
      expect(received.join('')).toContain('stopped_by_credit');
      expect(received.length).toBeGreaterThan(1_000);
      outcomes.push({ received, gatewayDb });
    }
    expect(outcomes[1]).toEqual(outcomes[0]);
    expect(outcomes[2]).toEqual(outcomes[0]);
  });
});

test('a long text whose pieces would end inside a character arrives complete', async () => {
  const long = `a${'😀'.repeat(9_000)}`;
  const { received } = await answered(
    await openServed(),
    streamReply([completionEvent({ content: long }), ...ending].join('')),
  );
  const contents = received.slice(0, -1).map((event) => JSON.parse(event));
  expect(contents.map(({ choices }) => choices[0]?.delta.content ?? '').join('')).toBe(long);
});
