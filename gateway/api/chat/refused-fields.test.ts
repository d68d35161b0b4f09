import { describe, expect, test } from 'vitest';
import { messagesAnswer } from '#shared/wire/messages-answer.ts';
import { openThreeVendors } from '../../../tests/gateway-doubles/three-vendors.ts';
import { type ChatApi, refusedFields } from './check-fields.ts';

const messages = [{ role: 'user', content: 'What is my name?' }];
const requests: Readonly<Record<ChatApi, readonly [path: string, body: object]>> = {
  prompt: ['/chat', { prompt: 'What is my name?' }],
  completion: ['/v1/chat/completions', { messages }],
  responses: ['/v1/responses', { input: 'What is my name?' }],
  messages: ['/v1/messages', { messages, max_tokens: 100 }],
};

/** A value of each field that asks for something. All other fields get the text below. */
const asked: Readonly<Record<string, unknown>> = {
  background: true,
  compaction: { type: 'summarize' },
  extra_body: { google: { cached_content: 'cachedContents/1' } },
  generate: false,
  messages,
  thread: { type: 'continue', previous_message_id: 'msg_1' },
};
const compacting = {
  messages: { edits: [{ type: 'clear_tool_uses_20250919' }, { type: 'compact_20260112' }] },
  responses: [{ type: 'compaction', compact_threshold: 50_000 }],
};

const askedValue = (api: ChatApi, name: string): unknown =>
  name === 'context_management' ? compacting[api as keyof typeof compacting] : (asked[name] ?? 'anything');

const apis = Object.keys(requests) as ChatApi[];
const rows = apis.flatMap((api) => refusedFields[api].map((field) => ({ api, ...field })));

interface Refusal {
  readonly error: { type: string; code: string; param: string; message: string; details?: object };
}

describe('a field that changes what the model is asked', () => {
  test.each(rows)('is refused by $api: $name', async ({ api, name, why, details }) => {
    const { post, calls } = await openThreeVendors();
    const [path, body] = requests[api];
    const response = await post(path, { model: 'gpt-4.1', ...body, [name]: askedValue(api, name) });
    const { error } = (await response.json()) as Refusal;
    expect(response.status).toBe(400);
    expect(error).toMatchObject({
      type: 'invalid_request_error',
      code: 'unsupported_parameter',
      param: name,
      message: why,
      ...(details ? { details } : {}),
    });
    expect(calls).toEqual([]);
  });

  test.each(rows)('is accepted by $api when it is null: $name', async ({ api, name }) => {
    const { post } = await openThreeVendors();
    const [path, body] = requests[api];
    expect((await post(path, { model: 'gpt-4.1', ...body, [name]: null })).status).toBe(200);
  });

  test.each(rows)('is listed for $api with its source: $name', ({ source, why }) => {
    expect(URL.canParse(source)).toBe(true);
    expect(why).toMatch(/\.$/);
  });

  test('is refused before tokens are counted', async () => {
    const { post } = await openThreeVendors();
    const body = { model: 'gpt-4.1', messages, thread: { type: 'continue', previous_message_id: 'msg_1' } };
    expect((await post('/v1/messages/count_tokens', body)).status).toBe(400);
  });
});

test.each([
  [{ type: 'clear_thinking_20251015', keep: 'all' }],
  [{ type: 'clear_tool_uses_20250919', keep: { type: 'tool_uses', value: 3 } }],
])('a field that only saves tokens is left out with a warning: %o', async (edit) => {
  const { post, calls } = await openThreeVendors();
  const body = { model: 'gpt-4.1', messages, max_tokens: 100, context_management: { edits: [edit] } };
  const answer = messagesAnswer.parse(await (await post('/v1/messages', body)).json());
  expect(answer.warnings?.map(({ param }) => param)).toContain('context_management');
  expect(calls).toHaveLength(1);
});

test('a tool call in OpenAI’s first form is refused with its place', async () => {
  const { post } = await openThreeVendors();
  const assistant = { role: 'assistant', content: 'I look.', function_call: { name: 'look', arguments: '{}' } };
  const response = await post('/v1/chat/completions', { model: 'gpt-4.1', messages: [...messages, assistant] });
  const { error } = (await response.json()) as Refusal;
  expect([response.status, error.param]).toEqual([400, 'messages[1].function_call']);
});
