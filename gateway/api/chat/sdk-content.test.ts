import { afterEach, beforeEach, expect, test } from 'vitest';
import { errorBody } from '#shared/wire/error.ts';
import { recordedStreams } from '../../../tests/gateway-doubles/recorded-streams.ts';
import { byProvider, openThreeProviders, type ThreeProviders } from '../../../tests/gateway-doubles/three-providers.ts';
import { streamReply } from '../../../tests/gateway-doubles/upstream-server.ts';

/** Content that the types of OpenAI's SDKs allow, and the parts of an answer that these SDKs send back. */

let providers: ThreeProviders;
beforeEach(async () => {
  providers = await openThreeProviders();
  const anthropic = streamReply(recordedStreams.anthropic.join(''));
  providers.upstream.replyWith(byProvider({ openai: streamReply(recordedStreams.openai.join('')), anthropic }));
});
afterEach(() => providers.close());

const user = { role: 'user', content: 'hi' };
const tool = (name: string) => ({ type: 'function', function: { name } });

async function send(body: object) {
  const bench = await providers.open();
  const answer = await bench.post('/v1/chat/completions', { messages: [user], ...body });
  const text = await answer.text();
  return { status: answer.status, text, sent: providers.upstream.calls.at(-1)?.body };
}

test.each([
  ['a part', { role: 'assistant', content: [{ type: 'refusal', refusal: 'I will not.' }] }],
  ['a field', { role: 'assistant', content: null, refusal: 'I will not.' }],
])('a refusal that the client sends back as %s becomes the assistant’s text', async (_how, refused) => {
  const { status, sent } = await send({ model: 'anthropic/claude-x', messages: [user, refused, user] });
  expect(status).toBe(200);
  expect(sent).toMatchObject({
    messages: [{}, { role: 'assistant', content: [{ type: 'text', text: 'I will not.' }] }, {}],
  });
});

test('a choice among some of the tools offers only these, to every provider', async () => {
  const tool_choice = { type: 'allowed_tools', allowed_tools: { mode: 'required', tools: [tool('two')] } };
  const body = { tools: [tool('one'), tool('two')], tool_choice };
  const openai = await send({ model: 'openai/gpt-x', ...body });
  expect(openai.sent).toMatchObject({ tools: [tool('two')], tool_choice: 'required' });
  const anthropic = await send({ model: 'anthropic/claude-x', ...body });
  expect(anthropic.sent).toMatchObject({ tools: [{ name: 'two' }], tool_choice: { type: 'any' } });
  expect(anthropic.sent?.tools).toHaveLength(1);
});

test.each([
  ['an unknown tool', { mode: 'auto', tools: [tool('three')] }],
  ['no mode', { tools: [tool('one')] }],
])('an allowed_tools choice with %s is refused with the field’s name', async (_what, allowed_tools) => {
  const { status, text } = await send({
    model: 'openai/gpt-x',
    tools: [tool('one')],
    tool_choice: { type: 'allowed_tools', allowed_tools },
  });
  expect(status).toBe(400);
  expect(errorBody.parse(JSON.parse(text)).error).toMatchObject({ code: 'invalid_value', param: 'tool_choice' });
});

test('a picture in original detail is sent to OpenAI with that detail', async () => {
  const url =
    'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
  const content = [{ type: 'image_url', image_url: { url, detail: 'original' } }];
  const { status, sent } = await send({ model: 'openai/gpt-x', messages: [{ role: 'user', content }] });
  expect(status).toBe(200);
  expect(sent).toMatchObject({ messages: [{ content: [{ image_url: { detail: 'original' } }] }] });
});
