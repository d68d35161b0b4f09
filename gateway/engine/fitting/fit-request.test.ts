import { describe, expect, test } from 'vitest';
import { type CompletionRequestBody, completionRequest } from '#shared/wire/chat-request.ts';
import { testModel } from '../../../tests/gateway-doubles/test-models.ts';
import { buildCatalogue } from '../../models/catalogue/build-catalogue.ts';
import type { CatalogueModel } from '../../models/catalogue/catalogue.ts';
import { conversationShape } from '../../providers/content/conversation-shape.ts';
import { fitRequest } from './fit-request.ts';

const { models } = buildCatalogue('2026-11-22', []);
const getModel = (id: string): CatalogueModel => {
  const found = models.find((model) => model.id === id);
  if (!found) throw new Error(`no ${id}`);
  return found;
};

const user = { role: 'user' as const, content: 'hi' };
const tools = [{ type: 'function' as const, function: { name: 'one' } }];
const lostLoop: CompletionRequestBody['messages'] = [
  user,
  { role: 'assistant', tool_calls: [{ id: 'c', type: 'function', function: { name: 'one', arguments: '{}' } }] },
  { role: 'tool', tool_call_id: 'c', content: '1' },
];

function fitted(model: CatalogueModel, body: Partial<CompletionRequestBody>, openaiOnly: Record<string, unknown> = {}) {
  const { messages, max_tokens: maxTokens, ...all } = completionRequest.parse({ messages: [user], ...body });
  const parameters = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
  const shape = conversationShape(messages, parameters);
  const input = { parameters, openaiOnly, shape, marksCache: false, maxTokens: maxTokens ?? null };
  return fitRequest({ ...input, accountId: 'acc_1', isOwnKey: false }, model);
}

const named = (id: string, body: Partial<CompletionRequestBody>) => {
  const { warnings, parameters, changes } = fitted(getModel(id), body);
  return { warnings: warnings.map(({ code, param }) => `${code} ${param}`), parameters, changes };
};

describe('effort', () => {
  test.each([
    ['openai/gpt-5.4', 'max', 'xhigh'],
    ['openai/gpt-6-astra', 'none', 'low'],
    ['openai/o3', 'none', 'low'],
    ['anthropic/claude-opus-4-6', 'xhigh', 'high'],
    ['anthropic/claude-opus-5-5', 'none', 'low'],
    ['google/gemini-3.8-flash', 'minimal', 'low'],
    ['google/gemini-2.5-pro', 'max', 'xhigh'],
  ] as const)('for %s becomes the one nearest to "%s", with a warning', (id, asked, used) => {
    const { warnings, parameters } = named(id, { reasoning_effort: asked });
    expect(parameters.reasoning_effort).toBe(used);
    expect(warnings).toEqual(['effort_adjusted reasoning_effort']);
  });

  test.each([
    ['anthropic/claude-opus-5', 'max'],
    ['anthropic/claude-sonnet-5', 'xhigh'],
    ['openai/gpt-5.6-sol', 'xhigh'],
    ['openai/gpt-5.1', 'none'],
  ] as const)('for %s is sent unchanged: %s', (id, effort) => {
    expect(named(id, { reasoning_effort: effort })).toMatchObject({
      warnings: [],
      parameters: { reasoning_effort: effort },
    });
  });

  test('is accepted together with tools by every model', () => {
    for (const id of ['openai/gpt-5.6-sol', 'openai/gpt-5.4', 'openai/gpt-5.1', 'openai/gpt-6-astra']) {
      const { warnings, parameters } = named(id, { tools, reasoning_effort: 'high' });
      expect([warnings, parameters.reasoning_effort], id).toEqual([[], 'high']);
    }
  });

  test.each([
    ['a tool is forced', { tools, tool_choice: 'required' as const }],
    ['its signed thinking was lost', { tools, messages: lostLoop }],
    ['the answer is too short for it', { max_tokens: 1_024 }],
  ])('is dropped with a warning when %s, for a model whose thinking has a token budget', (_why, body) => {
    const { warnings, parameters } = named('anthropic/claude-sonnet-4-5', { reasoning_effort: 'high', ...body });
    expect(warnings).toEqual(['effort_adjusted reasoning_effort']);
    expect(parameters).not.toHaveProperty('reasoning_effort');
    expect(named('anthropic/claude-opus-5', { reasoning_effort: 'high', ...body }).warnings).toEqual([]);
  });

  test.each(['anthropic/claude-opus-4-6', 'anthropic/claude-sonnet-4-6'])(
    'is dropped by %s only when a tool is forced',
    (id) => {
      const forced = named(id, { tools, tool_choice: 'required', reasoning_effort: 'high' });
      expect(forced.warnings).toEqual(['effort_adjusted reasoning_effort']);
      expect(forced.parameters).not.toHaveProperty('reasoning_effort');
      expect(named(id, { tools, tool_choice: 'auto', reasoning_effort: 'high' }).warnings).toEqual([]);
      expect(named(id, { tools, tool_choice: 'required' }).warnings).toEqual([]);
    },
  );
});

test.each([
  ['openai/gpt-4o', {}, false],
  ['openai/o3', {}, true],
  ['openai/gpt-5.4', {}, false],
  ['openai/gpt-5.4', { reasoning_effort: 'low' }, true],
  ['openai/gpt-6-sol', {}, true],
  ['openai/gpt-6-sol', { reasoning_effort: 'none' }, false],
  ['anthropic/claude-haiku-4-5', {}, false],
  ['anthropic/claude-opus-5-5', {}, true],
  ['google/gemini-3.8-flash', {}, true],
] as const)('whether %s thinks when asked %j: %s', (id, body, thinks) => {
  expect(fitted(getModel(id), body).thinks).toBe(thinks);
});

describe('what a model refuses', () => {
  test('a forced tool becomes an instruction, and only the named tool is offered', () => {
    const choice = { type: 'function' as const, function: { name: 'one' } };
    const { warnings, parameters, changes } = named('anthropic/claude-opus-5-5', { tools, tool_choice: choice });
    expect(warnings).toEqual(['tool_choice_relaxed tool_choice']);
    expect(parameters.tool_choice).toBe('auto');
    expect(changes).toMatchObject({ onlyTool: 'one', instructions: [expect.stringContaining('"one"')] });
    expect(named('anthropic/claude-opus-5', { tools, tool_choice: choice })).toMatchObject({
      warnings: [],
      changes: null,
    });
  });

  test('sampling parameters are dropped when the model thinks, and so is one of two that exclude each other', () => {
    const sampled = { temperature: 0.5, top_p: 0.5 };
    expect(named('anthropic/claude-opus-4-6', sampled).warnings).toEqual(['parameter_dropped top_p']);
    const thinking = named('anthropic/claude-opus-4-6', { temperature: 0.5, reasoning_effort: 'high' });
    expect(thinking.warnings).toEqual(['parameter_dropped temperature']);
    expect(named('google/gemini-3.5-flash', { ...sampled, reasoning_effort: 'high' }).warnings).toEqual([]);
  });

  test('OpenAI’s own fields are dropped for its models that refuse them', () => {
    const given = { logprobs: true, service_tier: 'flex' };
    const { openaiOnly, warnings } = fitted(getModel('openai/o3'), {}, given);
    expect(openaiOnly).toEqual({ service_tier: 'flex' });
    expect(warnings).toMatchObject([{ code: 'parameter_dropped', param: 'logprobs' }]);
    expect(fitted(getModel('openai/gpt-4o'), {}, { ...given, service_tier: 'priority' }).warnings).toEqual([]);
  });

  test.each([
    ['closed', { type: 'object', properties: { a: { type: 'string', minLength: 1 } } }, 'schema_adjusted', 'closed'],
    ['in words', { type: 'object', additionalProperties: true }, 'format_in_words', 'in_words'],
  ])('an open schema is sent to Claude %s', (_how, schema, code, format) => {
    const body = { response_format: { type: 'json_schema' as const, json_schema: { name: 'x', schema } } };
    const { warnings, changes } = named('anthropic/claude-opus-5', body);
    expect(warnings).toEqual([`${code} response_format`]);
    expect(changes).toMatchObject({ format });
    expect(named('google/gemini-3.8-flash', body)).toMatchObject({ warnings: [], changes: null });
  });

  test.each([
    ['only a system message', [{ role: 'system' as const, content: 'Hi.' }], ['instruction_as_user']],
    ['the assistant first', [{ role: 'assistant' as const, content: 'Hi.' }, user], ['begin_with_user']],
    ['the assistant last', [user, { role: 'assistant' as const, content: 'I ' }], ['end_with_user']],
  ])('a conversation with %s is changed with a warning for Claude, and not for OpenAI', (_what, messages, repairs) => {
    expect(named('anthropic/claude-opus-5', { messages })).toMatchObject({
      warnings: ['turns_adjusted messages'],
      changes: { turns: repairs },
    });
    expect(named('openai/gpt-5.1', { messages })).toMatchObject({ warnings: [], changes: null });
  });
});

test('a plain request fits every model without a change or a warning', () => {
  for (const model of models) {
    expect(fitted(model, {}), model.id).toEqual({
      parameters: {},
      openaiOnly: {},
      changes: null,
      warnings: [],
      api: 'chat_completions',
      maxTokens: null,
      thinks: expect.any(Boolean),
    });
  }
});

test('a model without known facts gets every parameter that its server lists', () => {
  const body = { reasoning_effort: 'max' as const, tools, tool_choice: 'required' as const };
  expect(fitted(testModel('ollama/qwen'), body)).toMatchObject({ parameters: body, changes: null, warnings: [] });
});
