import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Message, ToolRun } from '#shared/contract/chat/conversations.ts';
import { completionRequest } from '#shared/wire/chat-request.ts';
import { type HistoryEntry, sendable, toWire } from './history.ts';

const run = fc.record<ToolRun>({
  server: fc.string(),
  title: fc.string(),
  state: fc.constantFrom('waiting', 'running', 'done', 'failed', 'denied', 'skipped', 'stopped'),
  result: fc.string(),
  startedAt: fc.option(fc.nat()),
  finishedAt: fc.option(fc.nat()),
});
const call = fc.record(
  {
    id: fc.string(),
    name: fc.constantFrom('calculator', 'My_files__read'),
    arguments: fc.oneof(fc.json(), fc.string(), fc.constant('{"a":1}')),
    run,
    extra: fc.constant({ google: { thought_signature: 'x' } }),
  },
  { requiredKeys: ['id', 'name', 'arguments'] },
);
const entry = fc.record({
  role: fc.constantFrom<Message['role']>('user', 'assistant'),
  text: fc.string(),
  status: fc.constantFrom<Message['status']>('done', 'error', 'cancelled', 'interrupted'),
  finishReason: fc.constantFrom('tool_calls', 'stop', 'length', null),
  toolCalls: fc.array(call, { maxLength: 4 }),
  continues: fc.boolean(),
  reasoning: fc.string(),
});
const branches = fc
  .array(entry, { maxLength: 12 })
  .map((entries) => entries.map((generated, at): HistoryEntry => ({ ...generated, id: String(at), attachments: [] })));
const options = { reads: () => true, toPart: async () => null };

test('a request with tool calls is valid whatever their outcome, and exactly their own results follow them', async () => {
  await fc.assert(
    fc.asyncProperty(branches, fc.boolean(), async (branch, continues) => {
      const messages = await toWire(sendable(branch, continues), { ...options, tools: true });
      if (messages.length > 0) completionRequest.parse({ model: 'm', messages });
      messages.forEach((message, at) => {
        if (message.role !== 'assistant') return;
        const calls = message.tool_calls ?? [];
        const after = messages.slice(at + 1, at + 1 + calls.length);
        expect(after.map((next) => next.role === 'tool' && next.tool_call_id)).toEqual(calls.map(({ id }) => id));
        expect(messages[at + 1 + calls.length]?.role).not.toBe('tool');
        for (const { function: made } of calls) expect(Object.keys(JSON.parse(made.arguments))).toBeDefined();
      });
    }),
  );
});

test('tool calls and their results are sent as text when the request has no tools', async () => {
  await fc.assert(
    fc.asyncProperty(branches, async (branch) => {
      const messages = await toWire(sendable(branch), { ...options, tools: false });
      expect(messages.every((message) => message.role !== 'tool' && !('tool_calls' in message))).toBe(true);
    }),
  );
});

test('provider state is sent back with its tool call, and reasoning only until the next question', async () => {
  const asked: HistoryEntry = { id: 'q', role: 'user', status: 'done', attachments: [], text: 'Q' };
  const toolCalls = [{ id: 't', name: 'calculator', arguments: '{}', extra: { google: { thought_signature: 's' } } }];
  const answer: HistoryEntry = {
    ...asked,
    role: 'assistant',
    id: 'a',
    text: '',
    finishReason: 'tool_calls',
    reasoning: 'Hm.',
  };
  const open = await toWire([asked, { ...answer, toolCalls }], { ...options, tools: true });
  expect(open[1]).toMatchObject({
    content: null,
    reasoning_content: 'Hm.',
    tool_calls: [{ id: 't', type: 'function', extra_content: { google: { thought_signature: 's' } } }],
  });
  const closed = await toWire([asked, { ...answer, toolCalls }, { ...asked, id: 'r' }], { ...options, tools: true });
  expect(closed[1]).not.toHaveProperty('reasoning_content');
});
