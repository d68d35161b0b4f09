import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ComparisonTotal, Message } from '#shared/contract/chat/conversations.ts';
import { formatUsd, nanoUsd, parseUsd } from '#shared/money.ts';
import { coreOfTest } from '../../../tests/support/core-of-test.ts';
import { fakeMessage } from '../../../tests/support/fake-data.ts';
import { readThread } from '../../../tests/support/read-thread.ts';
import { comparisonTotals } from './comparison-total.ts';
import { withSums } from './message-store.ts';

let ids = 0;
const answer = (column: number, costUsd: string | null, change: Partial<Message> = {}) =>
  fakeMessage({
    id: `answer-${++ids}`,
    role: 'assistant',
    status: 'done',
    requestId: 'request',
    costUsd,
    costSource: costUsd === null ? 'unknown' : 'billed',
    simulated: false,
    comparison: { id: 'comparison', column },
    ...change,
  });
const getTotal = (...answers: Message[]) => comparisonTotals(withSums(answers))[0];

test('the cheapest column is named once all have ended, and only complete answers count', () => {
  const ended = [answer(0, '0.3'), answer(1, '0.02'), answer(2, '0.1')];
  expect(getTotal(...ended)?.cheapest).toBe(1);
  expect(getTotal(...ended, answer(3, null, { status: 'streaming' }))).toMatchObject({ cheapest: null, usd: '0.42' });
  expect(getTotal(answer(3, '0.000000001', { status: 'cancelled' }), ...ended)?.cheapest).toBe(1);
  expect(getTotal(answer(0, '0.3'), answer(1, '0.1', { status: 'error' }))?.cheapest).toBeNull();
});

test('no column is the cheapest when a cost is unknown, test credits are mixed with money, or two cost the same', () => {
  expect(getTotal(answer(0, '0.3'), answer(1, null))?.cheapest).toBeNull();
  expect(getTotal(answer(0, '0.3'), answer(1, '0.1', { simulated: true }))?.cheapest).toBeNull();
  expect(getTotal(answer(0, '0.1'), answer(1, '0.10'), answer(2, '0.2'))?.cheapest).toBeNull();
});

test('a retry replaces the cost of its first answer, and an answer in several requests counts all of them', () => {
  const first = answer(0, '1');
  const second = answer(1, '2');
  const more = answer(1, '0.5', { continues: true, parentId: second.id });
  expect(getTotal(first, second, more)).toMatchObject({ usd: '3.5', cheapest: 0 });
  expect(getTotal(first, second, more, answer(0, '4'))).toMatchObject({ usd: '6.5', cheapest: 1 });
  const running = answer(0, null, { status: 'streaming' });
  expect(getTotal(first, second, more, running)).toMatchObject({ usd: '2.5', unknown: 0, cheapest: null });
  const late = answer(0, '7', { continues: true, parentId: first.id });
  expect(getTotal(first, second, answer(0, '4'), late)).toMatchObject({ usd: '6' });
});

test('the sum is exact, keeps money and test credits apart, and counts unknown costs', () => {
  const amount = fc.bigInt({ min: 0n, max: 10n ** 15n });
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.option(amount), fc.boolean()), { minLength: 1, maxLength: 4 }), (costs) => {
      const total = getTotal(
        ...costs.map(([cost, simulated], column) =>
          answer(column, cost === null ? null : formatUsd(nanoUsd(cost)), { simulated }),
        ),
      );
      for (const [shown, simulated] of [
        [total?.usd ?? null, false],
        [total?.testCreditsUsd ?? null, true],
      ] as const) {
        const known = costs.flatMap(([cost, test]) => (cost !== null && test === simulated ? [cost] : []));
        expect(shown === null ? null : parseUsd(shown)).toBe(
          known.length === 0 ? null : known.reduce((sum, cost) => sum + cost, 0n),
        );
      }
      expect(total?.unknown).toBe(costs.filter(([cost]) => cost === null).length);
    }),
  );
});

test('a window receives the new sum when a column ends or is retried', async () => {
  const core = await coreOfTest();
  const { client, gateway } = core;
  await client.models.list();
  const models = ['openai/mini', 'openai/large', 'sandbox/tour'];
  const ending = new Map(models.map((model) => [model, Promise.withResolvers<void>()]));
  gateway.script = async function* ({ model, signal }) {
    yield model;
    const stopped = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
    await Promise.race([ending.get(model)?.promise, stopped]);
  };
  const end = (model: string) => ending.get(model)?.resolve();
  const asked = { messageId: randomUUID(), text: 'Which is best?', models };
  const { conversationId, answerIds } = await client.comparisons.begin(asked);
  let received: ComparisonTotal | undefined;
  const leave = new AbortController();
  const reading = (async () => {
    for await (const event of await client.chat.watch({ conversationId }, { signal: leave.signal }))
      if ('comparisons' in event) received = event.comparisons?.[0] ?? received;
  })().catch(() => {});
  const receivedIs = (total: object) => expect.poll(() => received).toMatchObject(total);

  await receivedIs({ usd: null, testCreditsUsd: null, unknown: 0, cheapest: null });
  end('openai/mini');
  await receivedIs({ usd: '0.000007', testCreditsUsd: null });
  await client.chat.stop({ answerId: answerIds[1] ?? '' });
  await receivedIs({ usd: '0.000014', testCreditsUsd: null });
  end('sandbox/tour');
  await receivedIs({ usd: '0.000014', testCreditsUsd: '0.000007', cheapest: null });
  await client.chat.regenerate({ answerId: answerIds[2] ?? '', model: 'openai/large' });
  await receivedIs({ usd: '0.000014', testCreditsUsd: null });
  end('openai/large');
  await receivedIs({ usd: '0.000021', testCreditsUsd: null });
  expect((await readThread(client, conversationId)).comparisons).toEqual([received]);
  leave.abort();
  await reading;
});
