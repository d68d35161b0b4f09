import { expect, test, vi } from 'vitest';
import { parseUsd } from '#shared/money.ts';
import type { ErrorBody } from '#shared/wire/error.ts';
import { recordedStreams } from '../../../tests/gateway-doubles/recorded-streams.ts';
import { openThreeVendors, streamingUpstream } from '../../../tests/gateway-doubles/three-vendors.ts';
import { allScopes } from '../../access/auth/scopes.ts';
import { usualKeptMs } from '../../engine/reasoning/reasoning-state.ts';
import { workerPool } from '../../runtime/threads/worker-pool.ts';
import { chatRequestTask } from '../chat/read-chat-request.ts';

/** Tests references to items of earlier responses. */

interface Answer extends ErrorBody {
  readonly output: readonly { readonly id: string; readonly type: string }[];
  readonly warnings: readonly { readonly code: string; readonly param: string }[];
}
const user = (content: string) => ({ role: 'user', content });
const reference = (id: string) => ({ type: 'item_reference', id });
const model = 'anthropic/claude-sonnet-4-5';
const reasoning = { effort: 'low' };

async function open(options: Parameters<typeof openThreeVendors>[0] = {}) {
  const opened = await openThreeVendors(options);
  const ask = async (body: object, key = opened.key): Promise<Answer> => {
    const headers = { authorization: `Bearer ${key}` };
    const answer = await opened.post('/v1/responses', { model, input: 'hi', reasoning, ...body }, { headers });
    return (await answer.json()) as Answer;
  };
  const sent = () => JSON.stringify(opened.calls.at(-1)?.body.messages);
  return { ...opened, ask, sent };
}

const getId = ({ output }: Answer, type: string) => output.find((item) => item.type === type)?.id ?? '';
/** A request that refers to the message of an answer. */
const after = (answer: Answer, ...more: object[]) => ({
  input: [user('hi'), reference(getId(answer, 'message')), user('And then?'), ...more],
});

test('a reference to a message is replaced by the message, but only for its own account', async () => {
  const { gateway, ask, sent, calls } = await open();
  const first = await ask({});
  await ask(after(first));
  expect(sent()).toContain(recordedStreams.text);
  const other = await gateway.operator.createAccount({ name: 'Other', plan: 'enterprise' });
  await gateway.operator.grant({ accountId: other.id, amount: parseUsd('10') });
  const { key } = await gateway.operator.createKey({ accountId: other.id, scopes: allScopes });
  const { error } = await ask(after(first), key);
  expect(error).toMatchObject({ code: 'unsupported_parameter', param: 'input[1].type' });
  expect(error.message).toContain(getId(first, 'message'));
  expect(calls).toHaveLength(2);
});

test('a reference to a message is refused after an hour, and one to reasoning is left out with a warning', async () => {
  const { ask, pass } = await open();
  const first = await ask({});
  pass(usualKeptMs);
  expect((await ask(after(first))).error.message).toContain('not any more');
  const input = [user('hi'), reference(getId(first, 'reasoning')), { role: 'assistant', content: 'a' }, user('b')];
  const { warnings } = await ask({ input });
  expect(warnings).toContainEqual(expect.objectContaining({ code: 'parameter_dropped', param: 'input[1]' }));
});

test.each<[string, Parameters<typeof openThreeVendors>[0], object]>([
  ['when the request sets store to false', {}, { store: false }],
  ['with the caller’s own key', {}, { provider: 'anthropic', byoapi_key: 'own-provider-key' }],
  ['when the operator turns storage off', { reasoningMs: 0 }, {}],
])('no items are stored %s', async (_where, options, body) => {
  const { ask } = await open(options);
  const first = await ask(body);
  expect(getId(first, 'message')).toMatch(/^msg_/);
  expect((await ask(after(first))).error.code).toBe('unsupported_parameter');
});

const getStream = (pieces: readonly Uint8Array[]) =>
  new ReadableStream({
    start(controller) {
      for (const piece of pieces) controller.enqueue(piece);
      controller.close();
    },
  });

/** A body is read in blocks of this size. */
const blockBytes = 262_144;

test.each([0, 30, 60])(
  'a reference in a large request is found across two blocks, beginning %i bytes before the border',
  async (before) => {
    const { ask, sent, call } = await open();
    const message = reference(getId(await ask({}), 'message'));
    const getBody = (length: number) =>
      JSON.stringify({ model, reasoning, input: [user('y'.repeat(length)), message, user('z'.repeat(90_000))] });
    const begin = getBody(0).indexOf(JSON.stringify(message));
    const bytes = Buffer.from(getBody(blockBytes - begin - before));
    expect(bytes.indexOf(JSON.stringify(message))).toBe(blockBytes - before);
    const pieces = Array.from({ length: Math.ceil(bytes.length / 50_000) }, (_, at) =>
      bytes.subarray(at * 50_000, (at + 1) * 50_000),
    );
    const headers = { 'content-type': 'application/json' };
    const init: RequestInit & { duplex: 'half' } = {
      method: 'POST',
      body: getStream(pieces),
      headers,
      duplex: 'half',
    };
    expect((await call('/v1/responses', init)).status).toBe(200);
    expect(sent()).toContain(recordedStreams.text);
  },
);

test('a second reference to the same item is refused', async () => {
  const { ask } = await open();
  const first = await ask({});
  const twice = await ask(after(first, reference(getId(first, 'message'))));
  expect(twice.error).toMatchObject({ param: 'input[3].type' });
});

test('a short request that refers to a long item is read on a worker thread like a long one', async () => {
  const long = 'word '.repeat(40_000);
  const events = recordedStreams.openai.map((event) => event.replace('Grüße, ', long));
  const bodies: string[] = [];
  const { ask } = await open({
    fetch: async (input, init) => {
      bodies.push(await new Response(init?.body ?? '').text());
      return streamingUpstream(...events)(input, init);
    },
  });
  const stated = { model: 'openai/gpt-4.1', reasoning: undefined };
  const first = await ask(stated);
  const tasks = vi.spyOn(workerPool, 'run');
  expect((await ask({ ...stated, ...after(first) })).output).toHaveLength(first.output.length);
  expect(tasks).toHaveBeenCalledWith(chatRequestTask, expect.anything(), expect.anything(), expect.anything());
  expect(bodies.at(-1)).toContain(long);
});
