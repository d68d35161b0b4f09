import { expect, test } from 'vitest';
import { openTestGateway } from '../testing/open-test-gateway.ts';
import { overloadOf, workLimits } from './overload.ts';

const idle = { answers: 0, waiting: 0 };

test.each([
  ['nothing to do', {}, false, false],
  ['one answer less than the most', { answers: 999 }, false, false],
  ['as many answers as the most: no more of them, but reading goes on', { answers: 1_000 }, true, false],
  ['a queue before the database', { waiting: 1_000 }, true, true],
])('%s', (_what, more, chat, other) => {
  const work = { ...idle, ...more };
  expect(overloadOf(work, workLimits, true)?.code).toBe(chat ? 'server_overloaded' : undefined);
  expect(overloadOf(work, workLimits, false)?.code).toBe(other ? 'server_overloaded' : undefined);
});

test('more chats than one process takes are refused with 503 and a wait, before who asks is looked at', async () => {
  const { post, call } = await openTestGateway({ workLimits: { answers: 1 }, sandboxPace: 1 });
  const body = { model: 'sandbox/slow', prompt: 'Tell me a long one.', stream: true };
  const first = await post('/chat', body);
  expect(first.status).toBe(200);
  const refused = await post('/chat', body, { headers: { authorization: 'Bearer nobody' } });
  expect(refused.status).toBe(503);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(await refused.json()).toMatchObject({
    error: { code: 'server_overloaded', type: 'server_error', status_code: 503, retryable: true },
  });
  expect((await call('/account')).status).toBe(200);
  expect((await call('/healthz')).status).toBe(200);
  await first.body?.cancel();
  await expect.poll(async () => (await post('/v1/chat/completions', {})).status).toBe(400);
});
