import { describe, expect, test } from 'vitest';
import { type CompletionRequestBody, completionRequest } from '#shared/wire/chat-request.ts';
import { getFacts } from '../models/catalogue/known-models.ts';
import { messagesBody } from './anthropic/anthropic-body.ts';
import { generateBody } from './google/google-body.ts';
import { completionBody } from './openai-compatible/completion-body.ts';
import { getDialect, openAiDialect } from './openai-compatible/dialects.ts';
import type { ProviderRequest } from './provider.ts';

const png = 'data:image/png;base64,iVBORw0KGgo=';
const pdf = 'data:application/pdf;base64,JVBERi0=';

const thought = { type: 'thinking', thinking: 'Hm.', signature: 'c2ln' };
const call = (id: string, name: string, args: string, extra?: Record<string, unknown>) => ({
  id,
  type: 'function' as const,
  function: { name, arguments: args },
  ...(extra ? { extra_content: extra } : {}),
});

/** A conversation with tool calls and every kind of content. */
const messages: CompletionRequestBody['messages'] = [
  { role: 'system', content: 'Be brief.' },
  {
    role: 'user',
    content: [
      { type: 'text', text: 'Look' },
      { type: 'image_url', image_url: { url: png } },
      { type: 'file', file: { filename: 'a.pdf', file_data: pdf } },
    ],
  },
  {
    role: 'assistant',
    content: 'I will ask.',
    tool_calls: [
      call('call_1', 'one', '{"a":1}', { google: { thought_signature: 'sig' }, anthropic: { thinking: [thought] } }),
      call('call:2', 'two', ''),
    ],
  },
  { role: 'tool', tool_call_id: 'call_1', content: '{"b":2}' },
  { role: 'tool', tool_call_id: 'call:2', content: 'plain' },
  { role: 'developer', content: 'In French.' },
];

function requestFor(more: Partial<CompletionRequestBody> = {}, model = 'm'): ProviderRequest {
  const { messages: parsed, ...parameters } = completionRequest.parse({ messages, ...more });
  return { model, messages: parsed, maxTokens: parameters.max_tokens ?? 500, openaiOnly: {}, parameters };
}

const tools = [
  { type: 'function' as const, function: { name: 'one', description: 'd', parameters: { type: 'object' } } },
];

const hour = { cache_control: { type: 'ephemeral' as const, ttl: '1h' as const } };
const minutes = { cache_control: { type: 'ephemeral' as const } };
/** A request with all four things that may be marked for a prompt cache. */
const marked = requestFor({
  messages: [
    { role: 'system', content: [{ type: 'text', text: 'Long rules.', ...hour }] },
    { role: 'system', content: 'Short rules.' },
    { role: 'user', content: 'Look', ...minutes },
    { role: 'assistant', content: null, tool_calls: [call('call_1', 'one', '{}')] },
    { role: 'tool', tool_call_id: 'call_1', content: [{ type: 'text', text: 'much', ...minutes }] },
  ],
  tools: [{ ...tools[0], ...hour } as (typeof tools)[0]],
});

describe('marks for a prompt cache', () => {
  test('cache marks go to Anthropic at their places: on the system blocks, the turns, the results and the tools', () => {
    const body = messagesBody(marked) as { messages: object[] };
    expect(body).toMatchObject({
      system: [
        { type: 'text', text: 'Long rules.', ...hour },
        { type: 'text', text: 'Short rules.' },
      ],
      tools: [{ name: 'one', ...hour }],
      messages: [
        { role: 'user', content: [{ type: 'text', text: 'Look', ...minutes }] },
        { role: 'assistant', content: [{ type: 'tool_use' }] },
        { role: 'user', content: [{ type: 'tool_result', content: 'much', ...minutes }] },
      ],
    });
    expect(JSON.stringify(body).match(/cache_control/g)).toHaveLength(4);
  });

  test("cache marks are limited to four at Anthropic, and a fifth is refused with the gateway's own message", () => {
    const messages = Array.from({ length: 5 }, () => ({ role: 'user' as const, content: 'x', ...minutes }));
    expect(() => messagesBody(requestFor({ messages }))).toThrow(/4 marks .* there are 5/);
  });

  test('cache marks on images, files and other parts of one message stay with their block', () => {
    const image = { type: 'image_url' as const, image_url: { url: png }, ...minutes };
    const file = { type: 'file' as const, file: { file_data: pdf }, ...hour };
    const content = [image, file, { type: 'text' as const, text: 'What is it?' }];
    expect(messagesBody(requestFor({ messages: [{ role: 'user', content }] }))).toMatchObject({
      messages: [{ content: [{ type: 'image', ...minutes }, { type: 'document', ...hour }, { type: 'text' }] }],
    });
  });

  test.each(['openai', 'mistral', 'groq', 'vllm', 'deepseek'])('cache marks are not sent to %s', (id) => {
    const dialect = id === 'openai' ? openAiDialect : getDialect({ id });
    const text = JSON.stringify(completionBody(marked, dialect));
    expect(text).toContain('Long rules.');
    expect(text).not.toContain('cache_control');
  });

  test('cache marks are not sent to Google, but to OpenRouter and to unknown servers', async () => {
    expect(JSON.stringify(await generateBody(marked))).not.toContain('cache_control');
    for (const id of ['openrouter', 'openai-compatible']) {
      expect(JSON.stringify(completionBody(marked, getDialect({ id }))).match(/cache_control/g)).toHaveLength(4);
    }
  });
});

const opus5 = getFacts('anthropic/claude-opus-5');

describe('Anthropic', () => {
  test('Anthropic gets one system text, turns that alternate, and results of parallel calls in one message', () => {
    expect(messagesBody(requestFor())).toMatchObject({
      system: 'Be brief.\n\nIn French.',
      max_tokens: 500,
      stream: true,
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Look' },
            { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' } },
            { type: 'document', source: { type: 'base64', media_type: 'application/pdf' }, title: 'a.pdf' },
          ],
        },
        {
          role: 'assistant',
          content: [
            { type: 'text', text: 'I will ask.' },
            { type: 'tool_use', id: 'call_1', name: 'one', input: { a: 1 } },
            { type: 'tool_use', id: 'call_2', name: 'two', input: {} },
          ],
        },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 'call_1', content: '{"b":2}' },
            { type: 'tool_result', tool_use_id: 'call_2', content: 'plain' },
          ],
        },
      ],
    });
  });

  test('Anthropic gets its signed thinking back before the calls, while it thinks', () => {
    const body = messagesBody(requestFor({ reasoning_effort: 'high' }, 'claude-opus-5'));
    expect(body).toMatchObject({ thinking: { type: 'adaptive' }, output_config: { effort: 'high' } });
    expect(body).toMatchObject({ messages: [{}, { content: [thought, { type: 'text' }, {}, {}] }, {}] });
  });

  test('Anthropic gets its thinking between two calls back between them, and no thinking of another model', () => {
    const between = { ...thought, thinking: 'And then?' };
    const foreign = { ...thought, thinking: 'Elsewhere.' };
    const calls = [
      call('call_1', 'one', '{}', { anthropic: { thinking: [thought], model: 'claude-opus-5' } }),
      call('call_2', 'two', '{}', { anthropic: { thinking: [between], model: 'claude-opus-5' } }),
      call('call_3', 'three', '{}', { anthropic: { thinking: [foreign], model: 'claude-sonnet-5' } }),
    ];
    const turns = [messages[1], { role: 'assistant' as const, content: 'I will ask.', tool_calls: calls }];
    const body = messagesBody({ ...requestFor({ messages: turns as never }, 'claude-opus-5'), facts: opus5 });
    const uses = calls.map(({ id }) => ({ type: 'tool_use', id }));
    expect(body).toMatchObject({
      messages: [{}, { content: [thought, { type: 'text' }, uses[0], between, uses[1], uses[2]] }],
    });
  });

  test("Anthropic's thinking is disabled for effort none when the model would think by default", () => {
    const request = requestFor({ reasoning_effort: 'none' }, 'claude-opus-5');
    expect(messagesBody({ ...request, facts: opus5 })).toMatchObject({ thinking: { type: 'disabled' } });
    expect(messagesBody({ ...request, facts: getFacts('anthropic/claude-opus-4-8') })).not.toHaveProperty('thinking');
  });

  test.each([
    ['claude-sonnet-4-5', { type: 'enabled', budget_tokens: 10_000 }],
    ['claude-haiku-4-5', { type: 'enabled', budget_tokens: 10_000 }],
    ['claude-sonnet-4-6', { type: 'adaptive', display: 'summarized' }],
    ['claude-opus-4-8', { type: 'adaptive', display: 'summarized' }],
  ])('%s gets its thinking in the form that it supports', (model, thinking) => {
    const request = requestFor({ reasoning_effort: 'medium', max_tokens: 20_000 }, model);
    expect(messagesBody({ ...request, facts: getFacts(`anthropic/${model}`) })).toMatchObject({ thinking });
  });

  test('Anthropic gets the pictures of a tool result inside the result', () => {
    const content = [
      { type: 'text' as const, text: 'Seen:' },
      { type: 'image_url' as const, image_url: { url: png } },
    ];
    const turns = [...messages.slice(0, 3), { role: 'tool' as const, tool_call_id: 'call_1', content }];
    const result = { type: 'tool_result', content: [{ type: 'text', text: 'Seen:' }, { type: 'image' }] };
    expect(messagesBody(requestFor({ messages: turns }))).toMatchObject({ messages: [{}, {}, { content: [result] }] });
  });

  test.each([
    ['auto' as const, { type: 'auto' }],
    ['none' as const, { type: 'none' }],
    ['required' as const, { type: 'any' }],
    [
      { type: 'function' as const, function: { name: 'one' } },
      { type: 'tool', name: 'one' },
    ],
  ])('tool_choice %j becomes %j', (choice, expected) => {
    const body = messagesBody(requestFor({ tools, tool_choice: choice }));
    expect(body).toMatchObject({ tool_choice: expected, tools: [{ name: 'one', description: 'd' }] });
  });

  test('Anthropic gets a schema for JSON, or is asked in words when there is none', () => {
    const schema = { type: 'object', additionalProperties: false };
    const withSchema = requestFor({ response_format: { type: 'json_schema', json_schema: { name: 'x', schema } } });
    expect(messagesBody(withSchema)).toMatchObject({ output_config: { format: { type: 'json_schema', schema } } });
    const without = messagesBody(requestFor({ response_format: { type: 'json_object' } }));
    expect(without).toMatchObject({ system: expect.stringContaining('JSON object') });
  });

  test('call arguments that are not an object are refused for Anthropic, with the name of the field', () => {
    const broken = [...messages.slice(0, 2), { role: 'assistant' as const, tool_calls: [call('c', 'one', '[1')] }];
    expect(() => messagesBody(requestFor({ messages: broken }))).toThrow(
      expect.objectContaining({ code: 'invalid_value', param: 'messages[2].tool_calls[0].function.arguments' }),
    );
  });
});

describe('Google', () => {
  test("Google gets contents, results as objects with the function's name, and its signature back", () => {
    expect(generateBody(requestFor({}, 'gemini-3-flash'))).toMatchObject({
      systemInstruction: { parts: [{ text: 'Be brief.\n\nIn French.' }] },
      contents: [
        {
          role: 'user',
          parts: [
            { text: 'Look' },
            { inlineData: { mimeType: 'image/png' } },
            { inlineData: { mimeType: 'application/pdf' } },
          ],
        },
        {
          role: 'model',
          parts: [
            { text: 'I will ask.' },
            { functionCall: { id: 'call_1', name: 'one', args: { a: 1 } }, thoughtSignature: 'sig' },
            { functionCall: { id: 'call:2', name: 'two', args: {} } },
          ],
        },
        {
          role: 'user',
          parts: [
            { functionResponse: { id: 'call_1', name: 'one', response: { b: 2 } } },
            { functionResponse: { id: 'call:2', name: 'two', response: { result: 'plain' } } },
          ],
        },
      ],
      generationConfig: { maxOutputTokens: 500 },
    });
  });

  test('Google gets the bypass value on the first call of another provider, from Gemini 3 on', () => {
    const foreign = messages.map((message) =>
      message.role === 'assistant'
        ? { ...message, tool_calls: [call('call_1', 'one', '{}'), call('call:2', 'two', '')] }
        : message,
    );
    const text = (model: string) => JSON.stringify(generateBody(requestFor({ messages: foreign }, model)));
    expect(text('gemini-3.1-pro').split('skip_thought_signature_validator')).toHaveLength(2);
    expect(text('gemini-2.5-flash')).not.toContain('skip_thought');
  });

  test.each([
    ['gemini-2.5-flash', { thinkingBudget: 1_024, includeThoughts: true }],
    ['gemini-3.6-flash', { thinkingLevel: 'low', includeThoughts: true }],
  ])('%s gets its thinking in the form that it supports', (model, thinkingConfig) => {
    const body = generateBody(requestFor({ reasoning_effort: 'low' }, model));
    expect(body).toMatchObject({ generationConfig: { thinkingConfig } });
  });

  test('Google gets the parameters under its own names', () => {
    const body = generateBody(
      requestFor({ temperature: 0.5, top_p: 0.9, stop: 'END', seed: 7, tools, tool_choice: 'required' }),
    );
    expect(body).toMatchObject({
      generationConfig: { temperature: 0.5, topP: 0.9, stopSequences: ['END'], seed: 7 },
      tools: [{ functionDeclarations: [{ name: 'one', parametersJsonSchema: { type: 'object' } }] }],
      toolConfig: { functionCallingConfig: { mode: 'ANY' } },
    });
  });

  test('a URL is refused for Google with an error that explains what to do', () => {
    const remote = [
      {
        role: 'user' as const,
        content: [{ type: 'image_url' as const, image_url: { url: 'https://a.example/x.png' } }],
      },
    ];
    expect(() => generateBody(requestFor({ messages: remote }))).toThrow(
      expect.objectContaining({ code: 'file_download_failed', message: expect.stringContaining('data URL') }),
    );
  });
});

describe('OpenAI and compatible servers', () => {
  const openai = openAiDialect;
  const local = getDialect({ id: 'openai-compatible' });

  test('OpenAI itself never sees other providers’ extensions', () => {
    const body = completionBody(requestFor(), openai);
    expect(body).toMatchObject({ max_completion_tokens: 500, stream: true, stream_options: { include_usage: true } });
    expect(JSON.stringify(body)).not.toContain('extra_content');
  });

  test('a local server gets max_tokens and plain system messages, and its extensions back', () => {
    const body = completionBody(requestFor(), local);
    expect(body).toMatchObject({ max_tokens: 500 });
    expect(JSON.stringify(body)).toContain('extra_content');
    expect(JSON.stringify(body)).not.toContain('developer');
  });
});
