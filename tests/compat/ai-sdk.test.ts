import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { createOpenRouter } from '@openrouter/ai-sdk-provider';
import { generateText, isStepCount, type LanguageModel, type ModelMessage, Output, streamText, tool } from 'ai';
import { describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { recordedStreams } from '../gateway-doubles/recorded-streams.ts';
import { openThreeVendors, vendorModels } from '../gateway-doubles/three-vendors.ts';
import { thoughtThrough, weatherCalls } from '../gateway-doubles/vendors/tool-loops.ts';

/**
 * Tests the AI SDK with four of its providers, each set up as its own documentation shows, in front of three vendors.
 */

// Both warn on the console: about models with unknown names, and about Google's reasoning, which has no signature.
globalThis.AI_SDK_LOG_WARNINGS = false;
vi.spyOn(console, 'warn').mockImplementation(() => {});

interface Connection {
  readonly key: string;
  readonly fetch: typeof fetch;
}
const baseURL = 'http://127.0.0.1/v1';
const providers: readonly (readonly [string, (connection: Connection) => (model: string) => LanguageModel])[] = [
  ['@ai-sdk/openai', ({ key, fetch }) => createOpenAI({ baseURL, apiKey: key, fetch })],
  ['@ai-sdk/anthropic', ({ key, fetch }) => createAnthropic({ baseURL, apiKey: key, fetch })],
  [
    '@ai-sdk/openai-compatible',
    ({ key, fetch }) =>
      createOpenAICompatible({ name: 'portico', baseURL, apiKey: key, fetch, supportsStructuredOutputs: true }),
  ],
  ['@openrouter/ai-sdk-provider', ({ key, fetch }) => createOpenRouter({ baseURL, apiKey: key, fetch })],
];

const models = ['openai/gpt-5', 'openai/gpt-5.4', 'anthropic/claude-sonnet-5', 'google/gemini-3.8-flash'];
const place = z.object({ city: z.string() });
const weather = tool({ description: 'weather of a city', inputSchema: place, execute: async () => 'warm' });
const prompt = 'Where is it warm?';
const stopWhen = isStepCount(5);

async function open(provider: (typeof providers)[number][1], ...options: Parameters<typeof openThreeVendors>) {
  const vendors = await openThreeVendors(...options);
  const refusals = () => vendors.calls.flatMap(({ refusal }) => refusal ?? []);
  return { ...vendors, getModel: provider(vendors), refusals };
}

describe.each(providers)('%s', (_name, provider) => {
  test.each(models)('%s keeps its reasoning through a tool loop, non-streaming and streamed', async (name) => {
    const { getModel, refusals } = await open(provider, {}, { loop: () => weatherCalls });
    const asked = { model: getModel(name), prompt, tools: { weather }, stopWhen };
    const generated = await generateText(asked);
    const streamed = streamText(asked);
    expect([generated.text, await streamed.text]).toEqual([thoughtThrough, thoughtThrough]);
    const cities = [generated.steps, await streamed.steps].map((steps) =>
      steps.flatMap(({ toolCalls }) => toolCalls.map(({ input }) => input)),
    );
    expect(cities).toEqual([weatherCalls, weatherCalls]);
    expect(refusals()).toEqual([]);
  });

  test.each(models)('%s answers with an object, even after a tool call', async (name) => {
    const loop = (body: { tools?: unknown }) => (body.tools ? [{ city: 'Rome' }] : []);
    const { getModel, refusals } = await open(provider, {}, { loop, finalWords: '{"city":"Rome"}' });
    const asked = { model: getModel(name), prompt, output: Output.object({ schema: place }) };
    const outputs = [
      (await generateText(asked)).output,
      await streamText(asked).output,
      (await generateText({ ...asked, tools: { weather }, stopWhen })).output,
    ];
    expect(outputs).toEqual(Array.from({ length: 3 }, () => ({ city: 'Rome' })));
    expect(refusals()).toEqual([]);
  });

  test.each(vendorModels)('%s continues a chat that contains text, reasoning and tool calls', async (name) => {
    const { getModel, calls, refusals } = await open(provider);
    const noop = tool({ inputSchema: z.object({ a: z.number().optional() }), execute: async () => 'ok' });
    const asked = { model: getModel(name), tools: { one: noop, two: noop }, stopWhen: isStepCount(3) };
    const messages: ModelMessage[] = [{ role: 'user', content: prompt }];
    messages.push(...(await generateText({ ...asked, messages })).responseMessages);
    messages.push({ role: 'user', content: 'And then?' });
    const streamed = streamText({ ...asked, messages });
    expect(await streamed.text).toBe(recordedStreams.text);
    expect(refusals()).toEqual([]);
    const sent = JSON.stringify(calls.at(-1)?.body);
    expect(sent.split(recordedStreams.text)).toHaveLength(6);
  });
});
