import { expect, onTestFinished, test } from 'vitest';
import { openTestGateway } from '../../../tests/gateway-doubles/open-test-gateway.ts';
import { recordedStreams } from '../../../tests/gateway-doubles/recorded-streams.ts';
import { errorReply, openUpstream, type Reply, streamReply } from '../../../tests/gateway-doubles/upstream-server.ts';

interface Turn {
  readonly role: string;
  readonly content: unknown;
}

const system = (content: string) => ({ role: 'system', content });
const developer = (content: string) => ({ role: 'developer', content });
const user = (content: unknown) => ({ role: 'user', content });
const assistant = (content: string) => ({ role: 'assistant', content });
const call = { id: 'call_1', type: 'function', function: { name: 'look', arguments: '{}' } };
const result = { role: 'tool', tool_call_id: 'call_1', content: 'a lake' };

/** What servers' chat templates refuse, with their words. */
const templates = {
  qwen: (turns: readonly Turn[]) =>
    turns.some(({ role }, index) => role === 'system' && index > 0) ? 'System message must be at the beginning.' : null,
  gemma: (turns: readonly Turn[]) => (turns.some(({ role }) => role === 'system') ? 'System role not supported' : null),
  alternating(turns: readonly Turn[]) {
    const rest = turns[0]?.role === 'system' ? turns.slice(1) : turns;
    return rest.some(({ role }, index) => role !== (index % 2 === 0 ? 'user' : 'assistant'))
      ? 'Conversation roles must alternate user/assistant/user/assistant/...'
      : null;
  },
};

async function openServer(template: keyof typeof templates | null, status = 400) {
  const getTurns = (body: unknown) => (body as { messages: Turn[] }).messages;
  const answer = streamReply(recordedStreams.openai.join(''));
  const list = errorReply(200, { data: [{ id: 'm' }] });
  const reply: Reply = (seen, response) => {
    if (seen.method === 'GET') return list(seen, response);
    const message = template && templates[template](getTurns(seen.body));
    return message ? errorReply(status, { error: { message, code: status } })(seen, response) : answer(seen, response);
  };
  const upstream = await openUpstream(reply);
  onTestFinished(upstream.close);
  const server = { name: 'Hall', kind: 'openai-compatible' as const, apiVersion: null };
  const models = [{ model: 'm', sameAs: null, price: null }];
  const providers = { hall: { apiKey: null, baseUrl: `${upstream.origin}/v1`, server, models } };
  const { post } = await openTestGateway({ plan: 'local', providers });
  return {
    async ask(messages: object[]) {
      const response = await post('/v1/chat/completions', { model: 'hall/m', messages });
      return { status: response.status, body: await response.json() };
    },
    post,
    sent: () => upstream.calls.filter(({ method }) => method === 'POST').map(({ body }) => getTurns(body)),
  };
}

test('instructions that follow each other are sent to a server of one’s own as one', async () => {
  const { ask, sent } = await openServer('qwen');
  expect((await ask([system('Be kind.'), developer('Be brief.'), user('Hi')])).status).toBe(200);
  expect(sent()).toEqual([[system('Be kind.\n\nBe brief.'), user('Hi')]]);
});

test.each([400, 422, 500])(
  'a server that wants one instruction first gets it after its refusal with %i',
  async (status) => {
    const { ask, sent } = await openServer('qwen', status);
    const messages = [system('Be kind.'), user('Hi'), assistant('Hello'), system('Be brief.'), user('Go on')];
    const fitting = [system('Be kind.\n\nBe brief.'), user('Hi'), assistant('Hello'), user('Go on')];
    expect((await ask(messages)).status).toBe(200);
    expect((await ask(messages)).status).toBe(200);
    // The rule is remembered, so only the first conversation was refused.
    expect(sent()).toEqual([messages, fitting, fitting]);
  },
);

test('the requests of Claude Code reach a server that wants one instruction first', async () => {
  const { post, sent } = await openServer('qwen');
  const body = {
    model: 'hall/m',
    max_tokens: 100,
    system: [{ type: 'text', text: 'You are an agent.' }],
    messages: [user('Fix it.'), { role: 'system', content: 'The date is known.' }],
  };
  expect((await post('/v1/messages', body)).status).toBe(200);
  expect(
    sent()
      .at(-1)
      ?.map(({ role }) => role),
  ).toEqual(['system', 'user']);
});

test('a model without a system role gets instructions in the user’s turn', async () => {
  const { ask, sent } = await openServer('gemma');
  const picture = { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgoAAAAN' } };
  const parts = [{ type: 'text', text: 'What is it?' }, picture];
  expect((await ask([system('Be kind.'), user('Hi')])).status).toBe(200);
  expect((await ask([system('Be kind.'), user(parts)])).status).toBe(200);
  expect(sent().slice(1)).toEqual([[user('Be kind.\n\nHi')], [user([{ type: 'text', text: 'Be kind.' }, ...parts])]]);
});

test('a server that wants alternating turns gets neighbouring ones joined', async () => {
  const { ask, sent } = await openServer('alternating');
  const messages = [system('A'), user('One'), user('Two'), assistant('Three'), assistant('Four'), user('Five')];
  expect((await ask(messages)).status).toBe(200);
  expect(sent().at(-1)).toEqual([system('A'), user('One\n\nTwo'), assistant('Three\n\nFour'), user('Five')]);
});

test('a server without such rules gets every message in its place', async () => {
  const { ask, sent } = await openServer(null);
  const messages = [
    system('Be kind.'),
    user('Hi'),
    user('Are you there?'),
    { role: 'assistant', content: null, tool_calls: [call] },
    result,
    system('Be brief.'),
    user('Go on'),
  ];
  expect((await ask(messages)).status).toBe(200);
  expect(sent()).toEqual([messages]);
});

test('any other refusal is passed on, and nothing is sent twice', async () => {
  const { ask, sent } = await openServer('alternating', 400);
  // Tool results can't be joined, so this template refuses them in any order.
  const messages = [user('Hi'), { role: 'assistant', content: null, tool_calls: [call] }, result, user('Go on')];
  const first = await ask(messages);
  expect([first.status, first.body.error.code]).toEqual([400, 'upstream_invalid_request']);
  expect(sent()).toHaveLength(2);
  await ask(messages);
  expect(sent()).toHaveLength(3);
});
