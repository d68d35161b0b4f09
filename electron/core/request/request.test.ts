import { expect, test } from 'vitest';
import { noOptions } from '#shared/contract/chat/options.ts';
import type { Model } from '#shared/wire/model.ts';
import type { HistoryEntry } from './history.ts';
import type { OfferedTool } from './request.ts';
import { requestBuilder } from './request.ts';

const calculator: OfferedTool = {
  wireName: 'calculator',
  title: 'Calculator',
  serverId: null,
  serverName: 'Portico',
  tool: 'calculator',
  fingerprint: 'calculator',
  description: 'Works out',
  inputSchema: { type: 'object' },
  readOnly: true,
  asks: false,
};
const record = (contextLength: number, capabilities: string[]) =>
  ({
    context_length: contextLength,
    max_output_tokens: 50,
    capabilities,
    supported_parameters: [],
    architecture: { input_modalities: ['text'] },
  }) as unknown as Model;

function builder(contextLength: number, capabilities: string[], tools = true) {
  const facts = { name: 'M', simulated: false, priced: true, record: record(contextLength, capabilities) };
  return requestBuilder({
    gateway: { modelFor: async (wanted) => wanted, isOther: async () => false },
    modelFacts: () => facts,
    getOptions: async () => ({ ...noOptions, overflow: 'drop', tools }),
    getSummary: async () => null,
    getProject: async () => null,
    offeredTools: async () => [calculator],
  });
}
const entry = (
  id: string,
  role: 'user' | 'assistant',
  text: string,
  more: Partial<HistoryEntry> = {},
): HistoryEntry => ({ id, role, text, attachments: [], status: 'done', ...more });
const called = (result: string): Partial<HistoryEntry> => ({
  finishReason: 'tool_calls',
  toolCalls: [
    {
      id: 't',
      name: 'calculator',
      arguments: '{}',
      run: { server: 'Portico', title: 'Calculator', state: 'done', result, startedAt: 1, finishedAt: 2 },
    },
  ],
});
const branch = [
  entry('q1', 'user', 'old '.repeat(230)),
  entry('a1', 'assistant', 'older answer'),
  entry('q2', 'user', 'question'),
  entry('a2', 'assistant', '', called('x'.repeat(600))),
];
const roles = (messages: readonly { role: string }[]) => messages.map(({ role }) => role);

test('a question is sent with its tool calls, however long their results are', async () => {
  const build = builder(500, ['tools']);
  const input = { conversationId: null, branch, model: 'm', continues: true };
  const { body, context } = await build(input, async () => null);
  expect(roles(body.messages)).toEqual(['user', 'assistant', 'tool']);
  expect(body.metadata).toMatchObject({ purpose: 'tool' });
  expect(body.tools).toHaveLength(1);
  expect(context.notSentIds).toEqual(['q1', 'a1']);
  const small = await builder(150, ['tools'])(input, async () => null);
  expect(small.context.overflows).toBe(true);
});

test('tool results are sent as text when the model cannot call tools or the chat offers none', async () => {
  for (const build of [builder(9_000, []), builder(9_000, ['tools'], false)]) {
    const { body } = await build({ conversationId: null, branch, model: 'm', continues: true }, async () => null);
    expect(body).not.toHaveProperty('tools');
    expect(roles(body.messages)).toEqual(['user', 'assistant', 'user', 'assistant', 'user']);
    expect(body.messages[3]?.content).toContain('Used the tool calculator');
  }
});

test('the descriptions of tools count against the context', async () => {
  const question = [entry('q', 'user', 'question')];
  const used = async (tools: boolean) => {
    const build = builder(9_000, ['tools'], tools);
    return (await build({ conversationId: null, branch: question, model: 'm' }, async () => null)).context.usedTokens;
  };
  expect(await used(true)).toBeGreaterThan(await used(false));
});
