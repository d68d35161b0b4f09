import { Agent, applyPatchTool, OpenAIProvider, Runner, setTracingDisabled, shellTool, tool } from '@openai/agents';
import OpenAI from 'openai';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { openThreeVendors } from '../gateway-doubles/three-vendors.ts';
import { ScriptedCall } from '../gateway-doubles/vendors/scripted-calls.ts';
import { thoughtThrough, weatherCalls } from '../gateway-doubles/vendors/tool-loops.ts';
import type { DoubleOptions } from '../gateway-doubles/vendors/vendor-double.ts';

/**
 * Tests `@openai/agents` in front of three vendors. By its own choice it uses the Responses API with its default store.
 */

setTracingDisabled(true);
const models = ['openai/gpt-5', 'openai/gpt-5.4', 'anthropic/claude-sonnet-5', 'google/gemini-3.8-flash'];
const place = z.object({ city: z.string() });
const question = 'Where is it warm?';

async function open(double: DoubleOptions) {
  const vendors = await openThreeVendors({}, double);
  const openAIClient = new OpenAI({
    baseURL: 'http://127.0.0.1/v1',
    apiKey: vendors.key,
    fetch: vendors.fetch,
    maxRetries: 0,
  });
  const asked: string[] = [];
  const weather = tool({
    name: 'weather',
    description: 'weather of a city',
    parameters: place,
    execute: async ({ city }) => {
      asked.push(city);
      return 'warm';
    },
  });
  const refusals = () => vendors.calls.flatMap(({ refusal }) => refusal ?? []);
  const runner = new Runner({ modelProvider: new OpenAIProvider({ openAIClient }) });
  return { ...vendors, runner, weather, asked, refusals };
}

type Usage = { cost_usd: string } | undefined;

/** Returns a run's output and the costs in its answers. */
async function getBills(runner: Runner, agent: Agent, stream: boolean): Promise<{ output: unknown; bills: unknown[] }> {
  if (!stream) {
    const { finalOutput, rawResponses } = await runner.run(agent, question);
    return {
      output: finalOutput,
      bills: rawResponses.map(({ providerData }) => (providerData?.usage as Usage)?.cost_usd),
    };
  }
  const result = await runner.run(agent, question, { stream: true });
  const bills: unknown[] = [];
  for await (const event of result) {
    if (event.type !== 'raw_model_stream_event' || event.data.type !== 'model') continue;
    const { type, response } = event.data.event as { type: string; response: { usage: Usage } };
    if (type === 'response.completed') bills.push(response.usage?.cost_usd);
  }
  return { output: result.finalOutput, bills };
}

test.each(models.flatMap((model) => [[model, false] as const, [model, true] as const]))(
  '%s keeps its reasoning through a tool loop, streamed: %s, and costs what the ledger charged',
  async (model, stream) => {
    const { runner, weather, asked, refusals, spent } = await open({ loop: () => weatherCalls });
    const agent = new Agent({ name: 'Guide', instructions: 'Be short.', model, tools: [weather] });
    const { output, bills } = await getBills(runner, agent, stream);
    expect(output).toBe(thoughtThrough);
    expect(asked).toEqual(['Rome', 'Oslo']);
    expect(refusals()).toEqual([]);
    expect(bills).toEqual(await spent());
  },
);

test.each(models)('%s hands a chat over to another agent, which answers with an object', async (model) => {
  const { runner, weather, asked, refusals } = await open({
    loop: () => [{}, { city: 'Rome' }],
    finalWords: '{"city":"Rome"}',
  });
  const guide = new Agent({ name: 'Guide', model, tools: [weather], outputType: place });
  const desk = Agent.create({ name: 'Desk', instructions: 'Hand over.', model, handoffs: [guide] });
  const result = await runner.run(desk, question);
  expect([result.lastAgent?.name, result.finalOutput]).toEqual(['Guide', { city: 'Rome' }]);
  expect(asked).toEqual(['Rome']);
  expect(refusals()).toEqual([]);
});

test.each(models.flatMap((model) => [[model, false] as const, [model, true] as const]))(
  "%s runs commands and edits files on the agent's machine, streamed: %s",
  async (model, stream) => {
    const steps = [
      new ScriptedCall([/^shell$/, { commands: ['ls', 'pwd'] }]),
      new ScriptedCall([/^apply_patch$/, { type: 'create_file', path: 'a.txt', diff: '+one' }]),
      new ScriptedCall([/^apply_patch$/, { type: 'update_file', path: 'a.txt', diff: '@@\n-one\n+two' }]),
    ];
    const { runner, refusals } = await open({ loop: () => steps });
    const done: unknown[] = [];
    const shell = shellTool({
      shell: {
        async run({ commands }) {
          done.push(commands);
          return { output: [{ stdout: 'a.txt', stderr: '', outcome: { type: 'exit', exitCode: 0 } }] };
        },
      },
    });
    const edit = async ({ type, path }: { type: string; path: string }) => {
      done.push([type, path]);
      return { status: 'completed' as const, output: `${path} is written.` };
    };
    const patch = applyPatchTool({ editor: { createFile: edit, updateFile: edit, deleteFile: edit } });
    const agent = new Agent({ name: 'Coder', model, tools: [shell, patch] });
    const { output } = await getBills(runner, agent, stream);
    expect(output).toBe(thoughtThrough);
    expect(done).toEqual([
      ['ls', 'pwd'],
      ['create_file', 'a.txt'],
      ['update_file', 'a.txt'],
    ]);
    expect(refusals()).toEqual([]);
  },
);
