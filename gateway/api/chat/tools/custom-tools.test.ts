import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { errorBody } from '#shared/wire/error.ts';
import { getEvents } from '../../../../tests/gateway-doubles/events-of.ts';
import { openThreeProviders, type ThreeProviders } from '../../../../tests/gateway-doubles/three-providers.ts';
import { streamReply } from '../../../../tests/gateway-doubles/upstream-server.ts';

/** OpenAI's custom tools are offered to models that know only functions. */

let providers: ThreeProviders;
beforeEach(async () => {
  providers = await openThreeProviders();
});
afterEach(() => providers.close());

const user = { role: 'user', content: 'Add 1 and 2.' };
const regex = { type: 'grammar', grammar: { syntax: 'regex', definition: '[0-9+]+' } };
const tool = { type: 'custom', custom: { name: 'sum', description: 'Adds.', format: regex } };
const plain = { type: 'function', function: { name: 'plain' } };
const input = 'say "1+2"\n世界';

/** An answer that calls the custom tool in pieces, and a function beside it. */
const answering = (text: string) => {
  const chunk = (delta: object, finish: string | null = null) =>
    `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
  const call = (index: number, more: object) => chunk({ tool_calls: [{ index, ...more }] });
  const named = (name: string) => ({ id: `call_${name}`, type: 'function', function: { name, arguments: '' } });
  const pieces = text.match(/[\s\S]{1,3}/g) ?? [];
  return streamReply(
    [
      call(0, named('sum')),
      ...pieces.map((piece) => call(0, { function: { arguments: piece } })),
      call(1, { ...named('plain'), function: { name: 'plain', arguments: '{}' } }),
      chunk({}, 'tool_calls'),
      'data: [DONE]\n\n',
    ].join(''),
  );
};

async function ask(body: object) {
  const bench = await providers.open();
  return bench.post('/v1/chat/completions', { model: 'openai/gpt-x', messages: [user], ...body });
}
const sent = () => providers.upstream.calls.at(-1)?.body ?? {};

const called = (text: string) => [
  { id: 'call_sum', type: 'custom', custom: { name: 'sum', input: text } },
  { id: 'call_plain', type: 'function', function: { name: 'plain', arguments: '{}' } },
];

test.each([
  ['one text', JSON.stringify({ input }), input],
  ['arguments that are no object', '1+2', '1+2'],
  ['an object of another shape', '{"a":1}', '{"a":1}'],
])('a function call with %s becomes a call of the custom tool, streamed or not', async (_what, text, expected) => {
  providers.upstream.replyWith(answering(text));
  const body = { tools: [tool, plain] };
  const completion = await (await ask(body)).json();
  expect(completion.choices[0].message.tool_calls).toEqual(called(expected));
  expect(completion.warnings).toContainEqual(expect.objectContaining({ code: 'format_in_words', param: 'tools' }));
  const events = (await getEvents(await ask({ ...body, stream: true }))).slice(0, -1).map((data) => JSON.parse(data));
  const deltas = events.flatMap(({ choices }) => choices[0]?.delta.tool_calls ?? []);
  expect(deltas.filter(({ index }) => index === 0)).toEqual([{ index: 0, ...called(expected)[0] }]);
  expect(deltas.find(({ index }) => index === 1)).toMatchObject({ type: 'function', function: { name: 'plain' } });
  expect(events.at(-1).choices[0].finish_reason).toBe('tool_calls');
});

test('a custom tool is offered and chosen as a function with one text, and its grammar becomes an instruction', async () => {
  providers.upstream.replyWith(answering('{}'));
  await ask({ tools: [tool], tool_choice: { type: 'custom', custom: { name: 'sum' } } });
  const [offered] = sent().tools as { function: { description: string } }[];
  expect(offered).toMatchObject({
    type: 'function',
    function: { name: 'sum', parameters: { properties: { input: { type: 'string' } }, required: ['input'] } },
  });
  expect(offered).not.toHaveProperty('custom');
  expect(offered?.function.description).toMatch(/^Adds\.\n\n"input" must follow this regex grammar:\n\[0-9\+\]\+$/);
  expect(sent().tool_choice).toEqual({ type: 'function', function: { name: 'sum' } });
  const allowed_tools = { mode: 'required', tools: [{ type: 'custom', custom: { name: 'sum' } }] };
  await ask({ tools: [plain, tool], tool_choice: { type: 'allowed_tools', allowed_tools } });
  expect(sent()).toMatchObject({ tools: [{ function: { name: 'sum' } }], tool_choice: 'required' });
});

test('an earlier call of a custom tool is sent as a function call, even without the tool', async () => {
  providers.upstream.replyWith(answering('{}'));
  const [call] = called(input);
  const messages = [
    user,
    { role: 'assistant', content: null, tool_calls: [call] },
    { role: 'tool', tool_call_id: 'call_sum', content: '3' },
  ];
  expect((await ask({ messages })).status).toBe(200);
  const fn = { name: 'sum', arguments: JSON.stringify({ input }) };
  expect(sent().messages).toMatchObject([{}, { tool_calls: [{ id: 'call_sum', type: 'function', function: fn }] }, {}]);
});

test('the prompt form has custom tools too', async () => {
  providers.upstream.replyWith(answering(JSON.stringify({ input })));
  const bench = await providers.open();
  const body = { model: 'openai/gpt-x', prompt: 'Add.', tools: [tool, plain] };
  expect((await (await bench.post('/chat', body)).json()).tool_calls).toEqual(called(input));
  const events = await getEvents(await bench.post('/chat', { ...body, stream: true }));
  expect(JSON.parse(events.at(-2) ?? '').tool_calls).toEqual(called(input));
});

describe('an invalid custom tool is refused with its place', () => {
  test.each([
    ['a name with blanks', { name: 'a b' }, 'tools[1].custom.name'],
    ['no name', {}, 'tools[1].custom.name'],
    ['another format', { name: 'a', format: { type: 'json' } }, 'tools[1].custom.format.type'],
    [
      'another grammar',
      { name: 'a', format: { type: 'grammar', grammar: { syntax: 'x', definition: '' } } },
      'tools[1].custom.format.grammar.syntax',
    ],
  ])('%s', async (_what, custom, param) => {
    const answer = await ask({ tools: [plain, { type: 'custom', custom }] });
    const { error } = errorBody.parse(await answer.json());
    expect([answer.status, error.param]).toEqual([400, param]);
  });
});
