import { expect, test } from 'vitest';
import { chatMessage, type ReasoningDetail } from '#shared/wire/chat-request.ts';
import { createBlockReader } from '../anthropic/anthropic.ts';
import { anthropicMessages } from '../anthropic/anthropic-body.ts';
import { addDetail, foreignDetails, withReasoning } from './reasoning-details.ts';

type Answer = Parameters<typeof withReasoning>[0];
const call = (id: string) => ({ id, type: 'function', function: { name: 'one', arguments: '{}' } });
const answer = (more: object) =>
  withReasoning(
    chatMessage.parse({ role: 'assistant', content: null, tool_calls: [call('a'), call('b')], ...more }) as Answer,
  );

test('thinking between parallel calls, signed or redacted, comes back at its old place', () => {
  const reader = createBlockReader('claude-x');
  const blocks = [
    { type: 'thinking', thinking: 'First.', signature: 's1' },
    { type: 'redacted_thinking', data: 'hidden' },
    { type: 'tool_use', id: 'a', name: 'one', input: {} },
    { type: 'thinking', thinking: 'Then.', signature: 's2' },
    { type: 'tool_use', id: 'b', name: 'one', input: {} },
  ];
  const details: ReasoningDetail[] = [];
  for (const event of blocks.flatMap((block, index) => reader.whole(block, index))) {
    if (event.type === 'reasoning-delta') for (const detail of event.details ?? []) addDetail(details, detail);
  }
  const messages = [answer({ reasoning_details: details })];
  expect(anthropicMessages({ messages, model: 'claude-x' }, true)).toEqual([{ role: 'assistant', content: blocks }]);
  const others = anthropicMessages({ messages, model: 'claude-y' }, true);
  expect(JSON.stringify(others)).not.toContain('thinking');
});

test.each([
  ['reasoning_content', { reasoning_content: 'Hm.' }],
  ['reasoning', { reasoning: 'Hm.' }],
  ['the details', { reasoning_details: [{ type: 'reasoning.text', text: 'Hm.' }] }],
  ['a summary', { reasoning_details: [{ type: 'reasoning.summary', summary: 'Hm.' }] }],
])('the text of the reasoning is read from %s', (_where, more) => {
  expect(answer(more).reasoning_content).toBe('Hm.');
});

test('a call keeps its own state, and details of another gateway go back unchanged', () => {
  const details = [{ type: 'reasoning.encrypted', data: 'x', id: 'rs_1', format: 'openai-responses-v1', index: 0 }];
  const own = { openrouter: { reasoning_details: [{ type: 'reasoning.text', text: 'own' }] } };
  expect(foreignDetails(answer({ reasoning_details: details }))).toEqual(details);
  expect(foreignDetails(answer({ reasoning_details: details, tool_calls: undefined, content: 'x' }))).toEqual(details);
  const both = answer({ reasoning_details: details, tool_calls: [{ ...call('a'), extra_content: own }] });
  expect(foreignDetails(both)).toEqual(own.openrouter.reasoning_details);
});
