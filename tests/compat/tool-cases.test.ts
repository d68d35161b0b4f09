import { Ajv2019 } from 'ajv/dist/2019.js';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Secret } from '#gateway/access/auth/secret.ts';
import { buildCatalogue } from '#gateway/models/catalogue/build-catalogue.ts';
import { type ChatBench, openChatBench } from '../gateway-doubles/chat-bench.ts';
import { testModel } from '../gateway-doubles/test-models.ts';
import { thoughtThrough } from '../gateway-doubles/vendors/tool-loops.ts';
import { openVendorDouble } from '../gateway-doubles/vendors/vendor-double.ts';
import { openAiChunk, openAiCompletion } from './openai-shapes.ts';
import { toolCases } from './tool-cases.ts';

/**
 * Runs each case with the official client, non-streaming and streamed, with a model of each vendor and an open
 * model on a self-hosted server.
 */

const models = ['vllm/gpt-oss-120b', 'openai/gpt-5', 'anthropic/claude-opus-5-5', 'google/gemini-3.8-flash'];
const ajv = new Ajv2019({ allowUnionTypes: true });
const getCase = (text: string) => toolCases[Number(/case (\d+)\./.exec(text)?.[1])];
const vendors = openVendorDouble({ loop: (body) => [getCase(JSON.stringify(body))?.expected ?? {}] });
let bench: ChatBench;
let client: OpenAI;

beforeAll(async () => {
  const apiKey = new Secret('platform-key');
  bench = await openChatBench({
    models: [...buildCatalogue('2026-11-22', []).models, testModel('vllm/gpt-oss-120b')],
    plan: 'enterprise',
    balance: '100000',
    fetch: vendors.send,
    providers: {
      vllm: { apiKey, baseUrl: 'https://vllm.example/v1' },
      openai: { apiKey, baseUrl: 'https://openai.example/v1' },
      anthropic: { apiKey, baseUrl: 'https://anthropic.example' },
      google: { apiKey, baseUrl: 'https://google.example' },
    },
  });
  client = new OpenAI({
    baseURL: 'http://127.0.0.1/v1',
    apiKey: 'any',
    maxRetries: 0,
    fetch: (input, init) => bench.post(new URL(String(input)).pathname, JSON.parse(String(init?.body))),
  });
});
afterAll(() => bench.close());

interface ParsedAnswer {
  readonly message: OpenAI.ChatCompletionMessage;
  readonly reasoning: string;
}

/** Sends one request and checks every field of the answer against OpenAI's schema. */
async function ask(body: OpenAI.ChatCompletionCreateParamsNonStreaming, streams: boolean): Promise<ParsedAnswer> {
  if (!streams) {
    const answer = await client.chat.completions.create(body);
    openAiCompletion.parse(answer);
    const message = answer.choices[0]?.message;
    if (!message) throw new Error('there is no choice');
    return { message, reasoning: (message as { reasoning?: string }).reasoning ?? '' };
  }
  const stream = client.chat.completions.stream({ ...body, stream: true });
  let reasoning = '';
  stream.on('chunk', (chunk) => {
    openAiChunk.parse(chunk);
    reasoning += (chunk.choices[0]?.delta as { reasoning?: string } | undefined)?.reasoning ?? '';
  });
  return { message: (await stream.finalChatCompletion()).choices[0]?.message as ParsedAnswer['message'], reasoning };
}

/** Sends a request, answers its tool calls, and sends the next request. */
async function converse(model: string, index: number, streams: boolean) {
  const { tool, parameters } = toolCases[index] ?? { tool: '', parameters: {} };
  const tools = [{ type: 'function' as const, function: { name: tool, parameters: { ...parameters } } }];
  const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: 'user', content: `Please do case ${index}.` }];
  const first = await ask({ model, messages, tools }, streams);
  const [call] = first.message.tool_calls ?? [];
  if (call?.type !== 'function') throw new Error('no tool was called');
  messages.push(first.message, { role: 'tool', tool_call_id: call.id, content: '{"done":true}' });
  const last = await ask({ model, messages, tools }, streams);
  return { first, call, last };
}

describe.each(models)('%s', (model) => {
  describe.each([false, true])('streamed: %s', (streams) => {
    test.each(toolCases.map((toolCase, index) => [toolCase.name, index, toolCase] as const))(
      '%s',
      async (_name, index, given) => {
        const { first, call, last } = await converse(model, index, streams);
        expect(call.function.name).toBe(given.tool);
        const sent = JSON.parse(call.function.arguments);
        expect(ajv.validate(given.parameters, sent), ajv.errorsText()).toBe(true);
        expect(sent).toEqual(given.expected);
        // OpenAI itself returns no reasoning text.
        if (!model.startsWith('openai/')) expect(first.reasoning).not.toBe('');
        expect(last.message.content).toBe(thoughtThrough);
        expect(vendors.calls.at(-1)?.refusal).toBeNull();
      },
    );
  });
});

test('there are thirty cases of six tools', () => {
  expect([toolCases.length, new Set(toolCases.map(({ tool }) => tool)).size]).toEqual([30, 6]);
});
