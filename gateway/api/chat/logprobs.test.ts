import { afterAll, beforeAll, expect, test } from 'vitest';
import { completionResponse } from '#shared/wire/chat-response.ts';
import { type ChatBench, openChatBench } from '../../../tests/gateway-doubles/chat-bench.ts';
import { getEvents } from '../../../tests/gateway-doubles/events-of.ts';
import { testModel } from '../../../tests/gateway-doubles/test-models.ts';
import { openUpstream, streamReply, type Upstream } from '../../../tests/gateway-doubles/upstream-server.ts';
import { Secret } from '../../access/auth/secret.ts';

const token = (text: string) => ({ token: text, logprob: -0.25, bytes: null, top_logprobs: [] });
const chunk = (text: string, finish: string | null = null) =>
  `data: ${JSON.stringify({
    choices: [
      {
        index: 0,
        delta: { content: text },
        logprobs: { content: [token(text)], refusal: null },
        finish_reason: finish,
      },
    ],
  })}\n\n`;

let upstream: Upstream;
let bench: ChatBench;
beforeAll(async () => {
  upstream = await openUpstream(streamReply(`${chunk('Pa')}${chunk('ris', 'stop')}data: [DONE]\n\n`));
  const credential = { apiKey: new Secret('platform-key'), baseUrl: upstream.origin };
  bench = await openChatBench({
    models: [testModel('openai/gpt-x'), testModel('mistral/m')],
    providers: { openai: credential, mistral: credential },
  });
});
afterAll(async () => {
  await bench.close();
  await upstream.close();
});

const body = { messages: [{ role: 'user', content: 'hi' }], logprobs: true, top_logprobs: 2 };
const path = '/v1/chat/completions';

test('log probabilities are asked of OpenAI and are part of the non-streaming answer', async () => {
  const answer = completionResponse.parse(await (await bench.post(path, { model: 'openai/gpt-x', ...body })).json());
  expect(upstream.calls.at(-1)?.body).toMatchObject({ logprobs: true, top_logprobs: 2 });
  expect(answer.choices[0]).toMatchObject({
    message: { content: 'Paris' },
    logprobs: { content: [token('Pa'), token('ris')], refusal: null },
  });
  expect(answer.warnings).toEqual([]);
});

test('log probabilities come in the chunk of the text that they belong to', async () => {
  const events = await getEvents(await bench.post(path, { model: 'openai/gpt-x', ...body, stream: true }));
  const choices = events.slice(0, -1).map((event) => JSON.parse(event).choices[0]);
  expect(choices.filter((choice) => choice.logprobs).map((choice) => [choice.delta.content, choice.logprobs])).toEqual([
    ['Pa', { content: [token('Pa')], refusal: null }],
    ['ris', { content: [token('ris')], refusal: null }],
  ]);
});

test('another provider’s model is not asked for log probabilities, and the client gets a warning', async () => {
  const answer = completionResponse.parse(await (await bench.post(path, { model: 'mistral/m', ...body })).json());
  expect(upstream.calls.at(-1)?.body).not.toHaveProperty('logprobs');
  expect(answer.warnings.map((warning) => warning.param)).toEqual(expect.arrayContaining(['logprobs', 'top_logprobs']));
});
