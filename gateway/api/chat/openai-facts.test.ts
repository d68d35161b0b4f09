import { afterEach, beforeEach, expect, test } from 'vitest';
import { getEvents } from '../../../tests/gateway-doubles/events-of.ts';
import { testModel } from '../../../tests/gateway-doubles/test-models.ts';
import { openThreeProviders, type ThreeProviders } from '../../../tests/gateway-doubles/three-providers.ts';
import { type Reply, streamReply } from '../../../tests/gateway-doubles/upstream-server.ts';

/** What OpenAI reports about an answer besides its text is passed on, streamed or not. */

const citation = {
  type: 'url_citation',
  url_citation: { url: 'https://example.com', title: 'A', start_index: 0, end_index: 2 },
};
const served = { service_tier: 'priority', system_fingerprint: 'fp_1' };
const usage = {
  prompt_tokens: 9,
  completion_tokens: 9,
  total_tokens: 18,
  completion_tokens_details: { accepted_prediction_tokens: 4, rejected_prediction_tokens: 2 },
};
const message = { role: 'assistant', content: 'Hi', annotations: [citation] };
const chunks = [
  { choices: [{ index: 0, delta: { role: 'assistant', content: 'Hi' }, finish_reason: null }] },
  { choices: [{ index: 0, delta: { annotations: [citation] }, finish_reason: null }] },
  { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
  { choices: [], usage },
];
const streamed = chunks.map((chunk) => `data: ${JSON.stringify({ ...chunk, ...served })}\n\n`).join('');
const completion = { ...served, choices: [{ index: 0, message, finish_reason: 'stop' }], usage };

const reply: Reply = (call, response) => {
  if (call.body.stream) return streamReply(`${streamed}data: [DONE]\n\n`)(call, response);
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify(completion));
};

let providers: ThreeProviders;
beforeEach(async () => {
  providers = await openThreeProviders();
  providers.upstream.replyWith(reply);
});
afterEach(() => providers.close());

const body = { model: 'openai/gpt-x', messages: [{ role: 'user', content: 'hi' }] };
const details = expect.objectContaining({ accepted_prediction_tokens: 4, rejected_prediction_tokens: 2 });

test('a non-streaming answer has its tier, fingerprint, sources and predicted tokens', async () => {
  const bench = await providers.open();
  const answer = await (await bench.post('/v1/chat/completions', body)).json();
  expect(answer).toMatchObject({ ...served, choices: [{ message: { content: 'Hi', annotations: [citation] } }] });
  expect(answer.usage.completion_tokens_details).toEqual(details);
});

test('a stream has its tier, fingerprint, sources and predicted tokens', async () => {
  const bench = await providers.open();
  const answer = await bench.post('/v1/chat/completions', { ...body, stream: true });
  const events = (await getEvents(answer)).slice(0, -1).map((data) => JSON.parse(data));
  expect(events.flatMap(({ choices }) => choices[0]?.delta.annotations ?? [])).toEqual([citation]);
  expect(events.at(-1)).toMatchObject(served);
  expect(events.at(-1).usage.completion_tokens_details).toEqual(details);
});

test.each([
  [2 ** 63, 0],
  [-(2 ** 53 + 2), -2],
  [7, 7],
])('the seed %d is sent as %d, because the upstream takes 64-bit integers', async (seed, expected) => {
  const models = [testModel('openai/gpt-x', { supportedParameters: ['seed'] })];
  const bench = await providers.open({ models });
  expect((await bench.post('/v1/chat/completions', { ...body, seed })).status).toBe(200);
  expect(providers.upstream.calls.at(-1)?.body.seed).toBe(expected);
});
