import { describe, expect, test } from 'vitest';
import { messagesAnswer } from '#shared/wire/messages-answer.ts';
import { user } from '../../../tests/gateway-doubles/message-bench.ts';
import { openThreeVendors } from '../../../tests/gateway-doubles/three-vendors.ts';
import { ScriptedCall } from '../../../tests/gateway-doubles/vendors/scripted-calls.ts';
import { thoughtThrough } from '../../../tests/gateway-doubles/vendors/tool-loops.ts';

const models = ['openai/gpt-4.1', 'openai/gpt-5.4', 'anthropic/claude-sonnet-5', 'google/gemini-3.8-flash'];
const thinking = { type: 'adaptive' };

const tools: readonly (readonly [type: string, name: string, input: object])[] = [
  ['bash_20250124', 'bash', { command: 'ls' }],
  ['text_editor_20250728', 'str_replace_based_edit_tool', { command: 'view', path: '/a' }],
  ['text_editor_20250124', 'str_replace_editor', { command: 'undo_edit', path: '/a' }],
  ['memory_20250818', 'memory', { command: 'create', path: '/memories/a', file_text: 'a' }],
];

describe.each(models)("Anthropic's client-run tool", (model) => {
  test.each(tools)(`is called by ${model} and answered: %s`, async (type, name, input) => {
    const loop = () => [new ScriptedCall([new RegExp(`^${name}$`), input])];
    const { post, calls } = await openThreeVendors({}, { loop });
    const ask = async (messages: object[]) => {
      const body = { model, max_tokens: 1_000, thinking, tools: [{ type, name }], messages };
      return messagesAnswer.parse(await (await post('/v1/messages', body)).json()).content;
    };
    const first = await ask([user('Do it.')]);
    const use = first.find((block) => block.type === 'tool_use');
    expect(use).toMatchObject({ name, input });
    const result = { type: 'tool_result', tool_use_id: use?.id, content: 'done' };
    const second = await ask([user('Do it.'), { role: 'assistant', content: first }, user([result])]);
    expect(second.at(-1)).toMatchObject({ text: thoughtThrough });
    expect(calls.map(({ refusal }) => refusal)).toEqual([null, null]);
  });
});
