import { beforeEach, describe, expect, test } from 'vitest';
import { getModel, image, openOwnServers } from '../../tests/gateway-doubles/own-servers.ts';

let servers: Awaited<ReturnType<typeof openOwnServers>>;
beforeEach(async () => {
  servers = await openOwnServers();
});

describe("a field other than a picture's URL", () => {
  const target = 'http://169.254.169.254/latest/meta-data/';
  const parts: readonly (readonly [string, object])[] = [
    ['a video', { type: 'video_url', video_url: { url: target } }],
    ['a sound by address', { type: 'audio_url', audio_url: { url: target } }],
    ['a sound whose data is an address', { type: 'input_audio', input_audio: { data: target, format: 'wav' } }],
    ['a file by address', { type: 'file', file: { file_url: target } }],
    ['a file whose data is an address', { type: 'file', file: { file_data: target } }],
    ['a file by id', { type: 'file', file: { file_id: target } }],
    ['Anthropic’s image', { type: 'image', source: { type: 'url', url: target } }],
    ['Gemini’s file', { type: 'file_data', fileData: { fileUri: target } }],
    ['the Responses API’s image', { type: 'input_image', image_url: target }],
    ['a bare address', { type: 'image_url', image_url: target }],
  ];
  const user = (content: unknown, more: object = {}) => ({ messages: [{ role: 'user', content, ...more }] });
  const call = (more: object) => ({ id: 'c1', type: 'function', function: { name: 'f', arguments: '{}' }, ...more });
  const toolTurn = (extra: object, result: unknown = 'done') => ({
    messages: [
      { role: 'user', content: 'hi' },
      { role: 'assistant', content: null, tool_calls: [call(extra)] },
      { role: 'tool', tool_call_id: 'c1', content: result },
    ],
  });
  const thought = { type: 'thinking', thinking: 'Hm', signature: 's', source: { type: 'url', url: target } };
  const schema = (more: object) => ({ type: 'object', properties: { a: more } });
  const tools = (parameters: object) => ({ tools: [{ type: 'function', function: { name: 'f', parameters } }] });
  const format = (inner: object) => ({
    response_format: { type: 'json_schema', json_schema: { name: 'a', schema: inner } },
  });
  const bodies: readonly (readonly [string, object])[] = [
    ...parts.map(([name, part]) => [name, user([{ type: 'text', text: 'x' }, part])] as const),
    ...parts.map(([name, part]) => [`${name}, of a tool`, toolTurn({}, [part])] as const),
    ['a field beside a part', user([{ type: 'text', text: 'x', image_url: { url: target } }])],
    ['a field of a message', user('hi', { images: [target], image_url: { url: target } })],
    ['a text field that is not a text', user('hi', { name: { url: target }, refusal: [target] })],
    [
      'a text field of an assistant that is not a text',
      { messages: [{ role: 'assistant', content: 'x', refusal: { url: target } }] },
    ],
    ['thinking that comes back', toolTurn({ extra_content: { anthropic: { thinking: [thought] } } })],
    ['details that come back', toolTurn({ extra_content: { openrouter: { reasoning_details: [thought] } } })],
    ['a field of a tool call', toolTurn({ image_url: target })],
    ['the state of a call', toolTurn({ extra_content: { a: { b: [{ image_url: target }] } } })],
    ['a reference of a tool', { ...user('hi'), ...tools(schema({ $ref: target })) }],
    ['a reference relative to another place', { ...user('hi'), ...tools({ $id: target, $ref: 'x' }) }],
    ['a reference of a format', { ...user('hi'), ...format(schema({ anyOf: [{ $ref: `${target}#/a` }] })) }],
    ['a dynamic reference', { ...user('hi'), ...format(schema({ $dynamicRef: target })) }],
    ['a prediction', { ...user('hi'), prediction: { type: 'content', content: [image(target)] } }],
    ['a prediction of another kind', { ...user('hi'), prediction: { url: target } }],
    [
      'an unknown field',
      { ...user('hi'), image_url: target, extra_body: { url: target }, media_io_kwargs: { target } },
    ],
    ['a field of a server', { ...user('hi'), mm_processor_kwargs: { url: target }, guided_grammar: target }],
    ['a label', { ...user('hi'), metadata: { image_url: target }, user: target }],
  ];

  test.each(['vllm', 'openai-compatible', 'openai', 'openrouter', 'anthropic', 'google'])(
    'a foreign field never brings a URL to %s',
    async (id) => {
      const { post } = await servers.gateway();
      for (const [name, body] of bodies) {
        // Earlier thinking is only sent back if the model thinks.
        const request = { model: getModel(id), max_tokens: 5_000, reasoning_effort: 'low', ...body };
        const response = await post('/v1/chat/completions', request);
        await response.text();
        expect([200, 400], name).toContain(response.status);
      }
      for (const body of servers.sent()) expect(body).not.toContain('169.254.169.254');
      expect(servers.sent().length).toBeGreaterThan(3);
    },
  );

  test('a text or a schema may contain a URL', async () => {
    const { post } = await servers.gateway();
    const body = {
      messages: [{ role: 'user', content: `What is at ${target}?` }],
      ...tools(schema({ $ref: '#/$defs/a', description: target, enum: [target] })),
    };
    expect((await post('/v1/chat/completions', { model: 'vllm/sees', ...body })).status).toBe(200);
    expect(servers.sent().join()).toContain('169.254.169.254');
  });
});
