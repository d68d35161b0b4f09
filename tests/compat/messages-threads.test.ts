import Anthropic from '@anthropic-ai/sdk';
import { expect, test } from 'vitest';
import { openThreeVendors } from '../gateway-doubles/three-vendors.ts';
import { thoughtThrough, weatherCalls } from '../gateway-doubles/vendors/tool-loops.ts';
import type { DoubleOptions } from '../gateway-doubles/vendors/vendor-double.ts';

/**
 * Tests message threads, which the SDK's tool runner uses by default, in front of three vendors' doubles. The
 * gateway stores no conversations, so it refuses the thread and the SDK sends the complete conversation, as it
 * does for every such server.
 */

const models = ['openai/gpt-5.4', 'anthropic/claude-sonnet-5', 'google/gemini-3.8-flash'];
const question: Anthropic.Beta.BetaMessageParam = { role: 'user', content: 'Where is it warm?' };
const max_tokens = 8_000;

async function open(double: DoubleOptions = { loop: () => weatherCalls }) {
  const vendors = await openThreeVendors({}, double);
  const sent: Record<string, unknown>[] = [];
  const client = new Anthropic({
    baseURL: 'http://127.0.0.1',
    apiKey: vendors.key,
    maxRetries: 0,
    fetch: (input, init) => {
      sent.push(JSON.parse(String(init?.body)));
      return vendors.fetch(input as string, init as RequestInit);
    },
  });
  const refusals = () => vendors.calls.flatMap(({ refusal }) => refusal ?? []);
  return { client, sent, refusals, calls: vendors.calls };
}

const getText = ({ content }: Anthropic.Beta.BetaMessage) =>
  content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('');

function weatherTool() {
  const asked: unknown[] = [];
  return {
    asked,
    tool: {
      name: 'weather',
      description: 'weather of a city',
      input_schema: { type: 'object' as const, properties: { city: { type: 'string' } }, required: ['city'] },
      parse: (content: unknown) => content,
      run: async (input: unknown) => {
        asked.push((input as { city: string }).city);
        return 'warm';
      },
    },
  };
}

test.each(models.flatMap((model) => [[model, false] as const, [model, true] as const]))(
  'the tool runner completes a tool loop with %s, streamed: %s',
  async (model, stream) => {
    const { client, sent, refusals } = await open();
    const { tool, asked } = weatherTool();
    const runner = client.beta.messages.toolRunner({ model, max_tokens, messages: [question], tools: [tool], stream });
    expect(getText((await runner.runUntilDone()) as Anthropic.Beta.BetaMessage)).toBe(thoughtThrough);
    expect(asked).toEqual(['Rome', 'Oslo']);
    expect(refusals()).toEqual([]);
    expect(sent.map(({ thread }) => thread != null)).toEqual([true, false, false, false]);
  },
);

test.each(models)(
  'a thread that may continue without server support sends %s the complete conversation',
  async (model) => {
    const { client, refusals, calls } = await open({ loop: () => [] });
    const thread = client.beta.messages.thread({
      model,
      max_tokens,
      system: 'You are Ann.',
      unsupportedRequestBehavior: 'continue_unthreaded',
    });
    await thread.send({ role: 'user', content: 'My name is Bo.' });
    await thread.stream({ role: 'user', content: 'What is my name?' }).finalMessage();
    const last = JSON.stringify(calls.at(-1)?.body);
    for (const words of ['You are Ann.', 'My name is Bo.', 'What is my name?']) expect(last).toContain(words);
    expect(refusals()).toEqual([]);
  },
);

test('a thread that requires server support fails with the reason, and no vendor is called', async () => {
  const { client, calls } = await open();
  const thread = client.beta.messages.thread({ model: 'claude-sonnet-5', max_tokens });
  const error = await thread.send({ role: 'user', content: 'hi' }).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(Anthropic.BadRequestError);
  expect((error as Error).message).toContain('Message threads are not kept here.');
  expect(calls).toEqual([]);
});
