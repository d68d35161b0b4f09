import { afterAll, beforeAll, expect, test } from 'vitest';
import { completionChunk, completionResponse, promptResponse } from '#shared/wire/chat-response.ts';
import { quote } from '#shared/wire/quote.ts';
import { requestList } from '#shared/wire/request-record.ts';
import { getEvents } from '../../tests/gateway-doubles/events-of.ts';
import { openTestGateway } from '../../tests/gateway-doubles/open-test-gateway.ts';
import { openUpstream, streamReply, type Upstream } from '../../tests/gateway-doubles/upstream-server.ts';
import { Secret } from '../access/auth/secret.ts';

/** Images that models make: requested and sent in OpenRouter's format, sent back with the next question, and charged at their own price. */

const data = (fill: number, bytes: number) =>
  Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), Buffer.alloc(bytes, fill)]).toString('base64');
/** The first image is longer than an ordinary event may be. */
const [first, second] = [data(1, 1_500_000), data(2, 300)];
const url = (base64: string) => `data:image/png;base64,${base64}`;
const event = (value: object) => `data: ${JSON.stringify(value)}\n\n`;
const inlineData = (base64: string) => ({ inlineData: { mimeType: 'image/png', data: base64 } });

const google = [
  event({ candidates: [{ content: { parts: [{ text: 'A draft.', thought: true }] } }] }),
  event({ candidates: [{ content: { parts: [{ ...inlineData(data(9, 10)), thought: true }] } }] }),
  event({ candidates: [{ content: { parts: [{ text: 'Here: ' }] } }] }),
  event({ candidates: [{ content: { parts: [inlineData(first), inlineData(second)] }, finishReason: 'STOP' }] }),
  event({
    usageMetadata: {
      promptTokenCount: 10,
      candidatesTokenCount: 2_250,
      thoughtsTokenCount: 100,
      candidatesTokensDetails: [{ modality: 'IMAGE', tokenCount: 2_240 }],
    },
  }),
].join('');

const wireImage = (base64: string, index = 0) => ({ type: 'image_url', index, image_url: { url: url(base64) } });
const openRouter = [
  event({ choices: [{ delta: { role: 'assistant', content: 'Here: ' } }] }),
  event({ choices: [{ delta: { images: [wireImage(first), wireImage(second, 1)] } }] }),
  event({
    choices: [{ delta: {}, finish_reason: 'stop' }],
    usage: {
      prompt_tokens: 10,
      completion_tokens: 2_350,
      completion_tokens_details: { image_tokens: 2_240, reasoning_tokens: 100 },
    },
  }),
  'data: [DONE]\n\n',
].join('');
const list = {
  data: [
    {
      id: 'vendor/painter',
      architecture: { input_modalities: ['text', 'image'], output_modalities: ['image', 'text'] },
      pricing: { prompt: '0.000002', completion: '0.000012', image_output: '0.00012' },
    },
  ],
};

let upstream: Upstream;
/** When set, the upstream answers with this image address. */
let instead: string | null = null;
beforeAll(async () => {
  upstream = await openUpstream((call, response) => {
    if (call.path.endsWith('/models')) return void response.end(JSON.stringify(list));
    return streamReply(instead ?? (call.path.startsWith('/v1beta') ? google : openRouter))(call, response);
  });
});
afterAll(() => upstream.close());

async function open() {
  instead = null;
  const apiKey = new Secret('platform-key');
  const opened = await openTestGateway({
    providers: {
      google: { apiKey, baseUrl: upstream.origin },
      openrouter: { apiKey, baseUrl: `${upstream.origin}/api/v1` },
    },
  });
  const getRecord = async () => {
    const [record] = requestList.parse(await (await opened.call('/v1/requests')).json()).data;
    const { ok, checks } = await opened.gateway.operator.checkLedger();
    expect({ ok, problems: checks.flatMap(({ problems }) => problems) }).toEqual({ ok: true, problems: [] });
    return record;
  };
  return { ...opened, getRecord };
}

const messages = [{ role: 'user', content: 'Paint the sea.' }];
const asked = { messages, modalities: ['image', 'text'] };
// 10 input tokens at $2, 110 output tokens at $12 and 2,240 image tokens at $120 a million.
const cost = '0.27014';

test.each([
  ['google/gemini-3-pro-image', { generationConfig: { responseModalities: ['IMAGE', 'TEXT'] } }],
  ['openrouter/vendor/painter', { modalities: ['image', 'text'] }],
])('%s makes images, streamed or not, at their own price and within the quote', async (model, sends) => {
  const { post, getRecord } = await open();
  const quoted = quote.parse(await (await post('/v1/quote', { model, ...asked })).json());
  const answer = completionResponse.parse(await (await post('/v1/chat/completions', { model, ...asked })).json());
  expect(upstream.calls.at(-1)?.body).toMatchObject(sends);
  expect(answer.choices[0]?.message).toMatchObject({
    content: 'Here: ',
    images: [wireImage(first), wireImage(second, 1)],
  });
  expect(answer.usage).toMatchObject({ cost_usd: cost, completion_tokens_details: { image_tokens: 2_240 } });
  expect(Number(quoted.cost_usd.high)).toBeGreaterThan(Number(cost));
  expect(await getRecord()).toMatchObject({ image_tokens: 2_240, cost_usd: cost, estimated: false });

  const stream = await post('/v1/chat/completions', { model, ...asked, stream: true });
  const chunks = (await getEvents(stream)).slice(0, -1).map((text) => completionChunk.parse(JSON.parse(text)));
  expect(chunks.flatMap(({ choices: [choice] }) => choice?.delta.images ?? [])).toEqual([
    wireImage(first),
    wireImage(second, 1),
  ]);
  expect(chunks.at(-1)?.usage?.cost_usd).toBe(cost);
});

test('images that were seen of an answer that broke off are charged as images', async () => {
  const { post, getRecord } = await open();
  instead = google.slice(0, google.lastIndexOf('data: '));
  instead = instead.replace(',"finishReason":"STOP"', '');
  const answer = await post('/v1/chat/completions', { model: 'google/gemini-3.1-flash-image', ...asked, stream: true });
  await answer.text();
  expect(await getRecord()).toMatchObject({ status: 'failed', image_tokens: 2_240, estimated: true });
});

test('a count of images that exceeds the answer is not believed', async () => {
  const { post, getRecord } = await open();
  instead = google.replace('"tokenCount":2240', '"tokenCount":9000000');
  await (await post('/v1/chat/completions', { model: 'google/gemini-3.1-flash-image', ...asked })).text();
  const record = await getRecord();
  expect(record?.image_tokens).toBe(2_350);
  expect(record?.completion_tokens).toBe(2_350);
});

test('images of an answer go back with the next question, from whichever API', async () => {
  const { post } = await open();
  const model = 'google/gemini-3.1-flash-image';
  const turn = { role: 'assistant', content: 'Here: ', images: [wireImage(second)] };
  const next = [...messages, turn, { role: 'user', content: 'Bluer.' }];
  const contents = [
    { role: 'user', parts: [{ text: 'Paint the sea.' }] },
    { role: 'model', parts: [{ text: 'Here: ' }] },
    { role: 'user', parts: [inlineData(second), { text: 'Bluer.' }] },
  ];
  expect((await post('/v1/chat/completions', { model, messages: next })).status).toBe(200);
  expect(upstream.calls.at(-1)?.body).toMatchObject({ contents });

  const response = await (await post('/v1/responses', { model, input: 'Paint the sea.' })).json();
  expect(response.output.map((item: { type: string }) => item.type)).toEqual([
    ...['reasoning', 'message', 'image_generation_call', 'image_generation_call'],
  ]);
  expect(response.output[3]).toMatchObject({ status: 'completed', result: second });
  const input = [
    { role: 'user', content: 'Paint the sea.' },
    response.output[1],
    response.output[3],
    { role: 'user', content: 'Bluer.' },
  ];
  expect((await post('/v1/responses', { model, input })).status).toBe(200);
  expect(upstream.calls.at(-1)?.body).toMatchObject({ contents });

  const reply = await (await post('/v1/messages', { model, max_tokens: 9_000, messages })).json();
  expect(reply.content.at(-1).text).toContain('The model made an image here');
  const prompt = promptResponse.parse(await (await post('/chat', { model, prompt: 'Paint the sea.' })).json());
  expect(prompt.images).toEqual([wireImage(first), wireImage(second, 1)]);
  expect(prompt.tokens.image_tokens).toBe(2_240);
});

test.each([
  ['no picture', [{ type: 'image_url', image_url: { url: url(Buffer.from('text').toString('base64')) } }]],
  ['a file of this machine', [{ type: 'image_url', image_url: { url: 'file:///etc/passwd' } }]],
  ['a private address', [{ type: 'image_url', image_url: { url: 'http://127.0.0.1/x.png' } }]],
])('%s in an answer is refused', async (_name, images) => {
  const { post } = await open();
  const turn = { role: 'assistant', content: 'Here', images };
  const answer = await post('/v1/chat/completions', {
    model: 'sandbox/painter',
    messages: [...messages, turn, ...messages],
  });
  expect(answer.status).toBe(400);
  expect((await answer.json()).error.param).toBe('messages[1].images[0].image_url.url');
});

test('the router chooses a model that makes images only when images are asked for', async () => {
  const { post } = await open();
  const routed = async (body: object) =>
    quote.parse(await (await post('/v1/quote', { model: 'router', ...body })).json());
  expect((await routed(asked)).routing.selected).toMatch(/-image$|painter$/);
  expect((await routed({ messages })).routing.selected).not.toMatch(/image|painter/);
});

test('a model that makes no images answers without them and with a warning; audio is refused', async () => {
  const { post } = await open();
  const answer = completionResponse.parse(
    await (await post('/v1/chat/completions', { model: 'sandbox/echo', ...asked })).json(),
  );
  expect(answer.warnings).toEqual([expect.objectContaining({ param: 'modalities' })]);
  const refused = await post('/v1/chat/completions', {
    model: 'sandbox/echo',
    messages,
    modalities: ['text', 'audio'],
  });
  expect([refused.status, (await refused.json()).error.param]).toEqual([400, 'modalities']);
});

test('the sandbox makes images offline, and answers about an image that it is sent', async () => {
  const { post } = await open();
  const model = 'sandbox/painter';
  const answer = completionResponse.parse(await (await post('/v1/chat/completions', { model, messages })).json());
  const [image] = answer.choices[0]?.message.images ?? [];
  expect(image?.image_url.url).toMatch(/^data:image\/png;base64,iVBOR/);
  const again = [
    ...messages,
    { role: 'assistant', content: 'Here', images: [image] },
    { role: 'user', content: 'Bluer.' },
  ];
  const next = completionResponse.parse(await (await post('/v1/chat/completions', { model, messages: again })).json());
  expect(next.choices[0]?.message.content).toContain('one picture');
});
