import { type AIMessageChunk, type BaseMessage, HumanMessage, ToolMessage } from '@langchain/core/messages';
import { ChatOpenAI } from '@langchain/openai';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { openThreeVendors } from '../gateway-doubles/three-vendors.ts';
import { thoughtThrough, weatherCalls } from '../gateway-doubles/vendors/tool-loops.ts';

/**
 * Tests LangChain's `ChatOpenAI` with the API that it chooses for a model, and with the Responses
 * API if its user chooses it.
 */

const models = [
  'openai/gpt-5',
  'gpt-5.4',
  'openai/gpt-5.6-sol',
  'anthropic/claude-sonnet-5',
  'google/gemini-3.8-flash',
];
const place = z.object({ city: z.string() });
const weather = { type: 'function', function: { name: 'weather', parameters: z.toJSONSchema(place) } };
const question = () => [new HumanMessage('Where is it warm?')];

async function open(model: string, double: Parameters<typeof openThreeVendors>[1], more: object) {
  const { key, fetch, calls } = await openThreeVendors({}, double);
  const configuration = { baseURL: 'http://127.0.0.1/v1', fetch };
  const client = new ChatOpenAI({ model, apiKey: key, configuration, maxRetries: 0, ...more });
  return { client, refusals: () => calls.flatMap(({ refusal }) => refusal ?? []) };
}

const cases = models.flatMap((model) => [
  [model, 'its own choice', {}] as const,
  [model, 'Responses', { useResponsesApi: true }] as const,
]);

test.each(cases)(
  '%s by %s keeps its reasoning through a tool loop, non-streaming and streamed',
  async (model, _api, more) => {
    const { client, refusals } = await open(model, { loop: () => weatherCalls }, more);
    const bound = client.bindTools([weather]);
    const invoke = (messages: BaseMessage[]) => bound.invoke(messages);
    const streamed = async (messages: BaseMessage[]) => {
      let all: AIMessageChunk | undefined;
      for await (const chunk of await bound.stream(messages)) all = all ? all.concat(chunk) : chunk;
      if (!all) throw new Error('the stream was empty');
      return all;
    };
    for (const ask of [invoke, streamed]) {
      const messages: BaseMessage[] = question();
      for (const args of weatherCalls) {
        const answer = await ask(messages);
        expect(answer.tool_calls).toMatchObject([{ name: 'weather', args }]);
        const [call] = answer.tool_calls ?? [];
        messages.push(answer, new ToolMessage({ tool_call_id: call?.id ?? '', content: 'warm' }));
      }
      expect((await ask(messages)).text).toBe(thoughtThrough);
    }
    expect(refusals()).toEqual([]);
  },
);

test.each(cases)('%s by %s answers with an object by both methods', async (model, _api, more) => {
  const loop = (body: { tools?: unknown }) => (body.tools ? [{ city: 'Rome' }] : []);
  const { client, refusals } = await open(model, { loop, finalWords: '{"city":"Rome"}' }, more);
  for (const method of ['jsonSchema', 'functionCalling'] as const) {
    const structured = client.withStructuredOutput(place, { name: 'place', method });
    expect(await structured.invoke(question()), method).toEqual({ city: 'Rome' });
  }
  expect(refusals()).toEqual([]);
});
