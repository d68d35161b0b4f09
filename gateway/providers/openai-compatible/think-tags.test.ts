import { describe, expect, test } from 'vitest';
import { openTestGateway } from '../../../tests/gateway-doubles/open-test-gateway.ts';

/** Thinking within the text of an answer becomes reasoning; an answer about the tags stays as it is. */

type Piece = string | object;

async function open(pieces: readonly Piece[], model = 'model', finish_reason = 'stop') {
  const usage = { prompt_tokens: 5, completion_tokens: 5 };
  const { post } = await openTestGateway({
    plan: 'local',
    providers: {
      near: {
        apiKey: null,
        baseUrl: 'http://127.0.0.1:9/v1',
        server: { name: 'Near', kind: 'vllm', apiVersion: null },
        models: [{ model, sameAs: null, price: null }],
      },
    },
    fetch: async (_url: unknown, init?: RequestInit) => {
      const deltas = pieces.map((piece) => (typeof piece === 'string' ? { content: piece } : piece));
      if (!/"stream":true/.test(String(init?.body ?? ''))) {
        const content = deltas.map((delta) => ('content' in delta ? delta.content : '')).join('');
        const message = Object.assign({}, ...deltas, { content });
        return Response.json({ id: 'c', choices: [{ index: 0, message, finish_reason }], usage });
      }
      const events = deltas.map((delta) => ({ id: 'c', choices: [{ index: 0, delta, finish_reason: null }] }));
      const last = { id: 'c', choices: [{ index: 0, delta: {}, finish_reason }], usage };
      const lines = [...events, last].map((event) => `data: ${JSON.stringify(event)}\n\n`);
      return new Response(`${lines.join('')}data: [DONE]\n\n`, { headers: { 'content-type': 'text/event-stream' } });
    },
  });
  async function ask(stream: boolean) {
    const body = { model: `near/${model}`, stream, messages: [{ role: 'user', content: 'How much is 2 and 2?' }] };
    const response = await post('/v1/chat/completions', body);
    if (!stream) {
      const { message } = (await response.json()).choices[0];
      return { reasoning: message.reasoning_content ?? '', text: message.content ?? '', pieces: 1 };
    }
    const deltas = (await response.text())
      .split('\n')
      .filter((line) => line.startsWith('data: {'))
      .map((line) => JSON.parse(line.slice(6)).choices[0]?.delta ?? {});
    const join = (name: string) => deltas.map((delta) => delta[name] ?? '').join('');
    const texts = deltas.filter(({ content }) => content);
    return { reasoning: join('reasoning_content'), text: join('content'), pieces: texts.length };
  }
  return ask;
}

const each = (text: string) => [...text];

const thought = 'Two and two.\n\nThat is 4.';
const withTags: readonly (readonly [string, readonly string[]])[] = [
  ['lines of their own', [`<think>\n${thought}\n</think>\n\nFour.`]],
  ['no blanks', [`<think>${thought}</think>Four.`]],
  ['blanks in the line', [`<think> ${thought} </think> Four.`]],
  ['blanks before', [`\n\n<think>\n${thought}\n</think>\n\nFour.`]],
  ['each character alone', each(`<think>\n${thought}\n</think>\n\nFour.`)],
  ['tags as tokens', ['<think>', '\n', ...thought.split(/(?= )/), '\n', '</think>', '\n\n', 'Four', '.']],
  ['tags cut', ['<th', 'ink>\nTwo and two.\n\nThat', ' is 4.\n</', 'think', '>\n', '\nFour.']],
  ['Magistral', [`[THINK]${thought}[/THINK]Four.`]],
];

describe.each([false, true])('streamed: %s', (stream) => {
  test.each(withTags)('thinking between tags becomes reasoning: %s', async (_name, pieces) => {
    expect(await (await open(pieces))(stream)).toMatchObject({ reasoning: thought, text: 'Four.' });
  });

  test.each([
    ['a line of its own', `${thought}\n</think>\n\nFour.`],
    ['the end of a line', `${thought}</think>\n\nFour.`],
    ['no blanks', `${thought}</think>Four.`],
  ])('thinking without an opening tag becomes reasoning: %s', async (_name, text) => {
    expect(await (await open(each(text), 'deepseek-r1:14b'))(stream)).toMatchObject({
      reasoning: thought,
      text: 'Four.',
    });
  });

  test.each([
    'The tag `<think>` begins the thinking and `</think>` ends it.',
    'A model closes its thinking with </think>\nand then answers.',
    'Use </think> to end it. </think> is the end.',
    '```\nLet me see.\n</think>\nFour.\n```\nThat is how it looks.',
    '<think> and </think> are the tags of the thinking.',
    '<think> is the tag that opens it.',
    '<thinker> is a tag of mine.',
    '</think> is the tag that closes it.',
    '< 4',
    '<',
    '  \n',
  ])('an answer that talks about the tags stays as it is: %j', async (text) => {
    for (const pieces of [[text], each(text)]) expect((await (await open(pieces))(stream)).text).toBe(text);
  });

  test('an empty thought leaves nothing', async () => {
    const ask = await open(['<think>\n\n</think>\n\n', 'Four.']);
    expect(await ask(stream)).toMatchObject({ reasoning: '', text: 'Four.' });
  });

  test('a thought that was cut off is reasoning', async () => {
    const ask = await open(['<think>\nTwo and ', 'two'], 'model', 'length');
    expect(await ask(stream)).toMatchObject({ reasoning: 'Two and two', text: '' });
  });

  test('a thought that mentions the closing tag goes on', async () => {
    const ask = await open(each('<think>\nHe asks about `</think>` and "</think>".\n</think>\n\nIt closes.'));
    expect(await ask(stream)).toMatchObject({
      reasoning: 'He asks about `</think>` and "</think>".',
      text: 'It closes.',
    });
  });

  test('tags after the beginning are text', async () => {
    const ask = await open(['Here:\n', '<think>\nno\n</think>\n', 'Four.']);
    expect(await ask(stream)).toMatchObject({ reasoning: '', text: 'Here:\n<think>\nno\n</think>\nFour.' });
  });

  test('text after reasoning in a field of its own is text', async () => {
    const ask = await open([{ reasoning_content: 'Hm.' }, '<think>', ' is a tag.']);
    expect(await ask(stream)).toMatchObject({ reasoning: 'Hm.', text: '<think> is a tag.' });
  });
});

test.each([`${thought}\n</think>\n\nFour.`, `${thought}</think>Four.`])(
  'a non-streaming answer of any model shows that its opening tag is missing',
  async (text) => {
    expect(await (await open([text]))(false)).toMatchObject({ reasoning: thought, text: 'Four.' });
  },
);

test('an ordinary answer of a model that may think is not lost, and the next one is not held back', async () => {
  const ask = await open(['Two', ' and', ' two.'], 'qwq-32b');
  expect(await ask(true)).toMatchObject({ reasoning: '', text: 'Two and two.' });
  expect(await ask(true)).toMatchObject({ reasoning: '', text: 'Two and two.', pieces: 3 });
});

test('an ordinary answer is passed on piece by piece', async () => {
  const ask = await open(['Two', ' and', ' two.']);
  expect(await ask(true)).toMatchObject({ text: 'Two and two.', pieces: 3 });
});

test('a model that was seen to omit the opening tag streams its thinking as reasoning', async () => {
  const pieces: Piece[] = ['Two', ' and two.', '\n', '</think>', '\n\n', 'Four.'];
  const ask = await open(pieces, 'tuned');
  await ask(true);
  expect(await ask(true)).toMatchObject({ reasoning: 'Two and two.', text: 'Four.' });
  pieces.splice(0, pieces.length, 'Just', ' text.');
  expect(await ask(true)).toMatchObject({ text: 'Just text.' });
  expect(await ask(true)).toMatchObject({ reasoning: '', text: 'Just text.' });
});

test('thinking before a tool call is reasoning', async () => {
  const tool_calls = [{ index: 0, id: '1', function: { name: 'read', arguments: '{}' } }];
  const ask = await open(['<think>\nI read it.\n</think>\n\n', { tool_calls }], 'model', 'tool_calls');
  expect(await ask(true)).toMatchObject({ reasoning: 'I read it.', text: '' });
});
