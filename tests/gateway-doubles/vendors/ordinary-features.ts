import type { CompletionRequestBody } from '#shared/wire/chat-request.ts';
import type { Capability, CatalogueModel } from '../../../gateway/models/catalogue/catalogue.ts';
import { anthropicThinking, googleSignature } from './tool-loops.ts';

/** Ordinary features that callers use, each as one request. */
export interface OrdinaryFeature {
  readonly name: string;
  /** The capabilities that a model must claim to be expected to answer this request. */
  readonly needs: readonly Capability[];
  body(model: CatalogueModel): Omit<CompletionRequestBody, 'model'>;
}

const png =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const pdf = `data:application/pdf;base64,${Buffer.from('%PDF-1.4\n%%EOF\n').toString('base64')}`;

const hello = [{ role: 'user' as const, content: 'What is the weather in Paris?' }];
const weather = {
  type: 'function' as const,
  function: {
    name: 'get_weather',
    description: 'Tells the weather.',
    parameters: { type: 'object', properties: { place: { type: 'string', minLength: 1 } }, required: ['place'] },
  },
};
const clock = { type: 'function' as const, function: { name: 'get_time', description: 'Tells the time.' } };
const strictWeather = {
  type: 'function' as const,
  function: {
    ...weather.function,
    strict: true,
    parameters: { ...weather.function.parameters, additionalProperties: false },
  },
};
const tools = [weather, clock];
const named = { type: 'function' as const, function: { name: 'get_weather' } };

const closed = {
  type: 'object',
  properties: { place: { type: 'string' }, celsius: { type: 'number' } },
  required: ['place', 'celsius'],
  additionalProperties: false,
};
/** A schema as schema libraries write it: not closed, and with bounds that not every vendor supports. */
const loose = {
  type: 'object',
  properties: {
    place: { type: 'string', minLength: 2, pattern: '^[A-Z]' },
    days: {
      type: 'array',
      minItems: 3,
      items: { type: 'object', properties: { celsius: { type: 'number', minimum: -90 } } },
    },
  },
  required: ['place'],
};
const map = { type: 'object', additionalProperties: { type: 'number' } };
const tree = {
  type: 'object',
  properties: { name: { type: 'string' }, children: { type: 'array', items: { $ref: '#' } } },
};
const schema = (given: Record<string, unknown>, strict?: boolean) => ({
  type: 'json_schema' as const,
  json_schema: { name: 'weather', schema: given, ...(strict === undefined ? {} : { strict }) },
});

const call = (id: string, place: string) => ({
  id,
  type: 'function' as const,
  function: { name: 'get_weather', arguments: JSON.stringify({ place }) },
});
const result = (id: string, content: CompletionRequestBody['messages'][number]['content'] = '{"celsius":21}') =>
  ({ role: 'tool', tool_call_id: id, content }) as CompletionRequestBody['messages'][number];
const loop = [
  ...hello,
  { role: 'assistant' as const, content: null, tool_calls: [call('call_1', 'Paris')] },
  result('call_1'),
];

/** A call id as agents make it, from a tool's name and a random number. */
const longId = `call_mcp__${'calendar_search_events_'.repeat(3)}9f1c`;

type Messages = CompletionRequestBody['messages'];
const feature = (
  name: string,
  needs: readonly Capability[],
  body: (model: CatalogueModel) => Partial<Omit<CompletionRequestBody, 'model'>>,
): OrdinaryFeature => ({ name, needs, body: (model) => ({ messages: hello, ...body(model) }) });
const turns = (name: string, messages: Messages, needs: readonly Capability[] = []) =>
  feature(name, needs, () => ({ messages }));

const efforts = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const;

const weatherInParis = { name: 'get_weather', args: { place: 'Paris' } };

/** A tool call of this model with its own reasoning state: signed or encrypted reasoning, or Google's signature. */
const signedCall = ({ provider, model }: CatalogueModel) => ({
  ...call('call_1', 'Paris'),
  ...(provider === 'anthropic'
    ? {
        extra_content: {
          anthropic: { model, thinking: [anthropicThinking(model, 'Hm.')] },
        },
      }
    : {}),
  ...(provider === 'openai'
    ? {
        extra_content: {
          openai: {
            model,
            reasoning_details: [
              { type: 'reasoning.encrypted', data: `encrypted by ${model}`, id: 'rs_1', format: 'openai-responses-v1' },
            ],
          },
        },
      }
    : {}),
  ...(provider === 'google'
    ? { extra_content: { google: { thought_signature: googleSignature(model, weatherInParis) } } }
    : {}),
});

export const ordinaryFeatures: readonly OrdinaryFeature[] = [
  feature('plain', [], () => ({})),
  feature('streamed', [], () => ({ stream: true })),
  feature('sampled', [], () => ({
    temperature: 1.5,
    top_p: 0.5,
    frequency_penalty: 0.5,
    presence_penalty: 0.5,
    stop: ['END'],
    seed: 7,
  })),
  feature('a seed of 64 bits', [], () => ({ seed: Number.MAX_SAFE_INTEGER })),
  feature('log probabilities', [], () => ({ logprobs: true, top_logprobs: 2, verbosity: 'low' })),
  feature('tools', ['tools'], () => ({ tools })),
  feature('a strict tool', ['tools'], () => ({ tools: [strictWeather, clock] })),
  feature('a forced tool', ['tools'], () => ({ tools, tool_choice: 'required' })),
  feature('a named tool', ['tools'], () => ({ tools, tool_choice: named })),
  feature('no tool', ['tools'], () => ({ tools, tool_choice: 'none' })),
  feature('one tool at a time', ['tools'], () => ({ tools, parallel_tool_calls: false })),
  feature('parallel tools', ['tools'], () => ({ tools, parallel_tool_calls: true })),
  feature('tool fields without tools', [], () => ({ tools: [], tool_choice: 'auto', parallel_tool_calls: true })),
  ...efforts.map((reasoning_effort) => feature(`effort ${reasoning_effort}`, [], () => ({ reasoning_effort }))),
  ...efforts.map((reasoning_effort) =>
    feature(`effort ${reasoning_effort} with tools`, ['tools'], () => ({ tools, reasoning_effort })),
  ),
  feature('effort and a forced tool', ['tools'], () => ({ tools, tool_choice: 'required', reasoning_effort: 'high' })),
  feature('effort and temperature', [], () => ({ reasoning_effort: 'medium', temperature: 0.3 })),
  feature('effort in a short answer', [], () => ({ reasoning_effort: 'high', max_tokens: 512 })),
  feature('JSON mode', ['json_mode'], () => ({ response_format: { type: 'json_object' } })),
  feature('JSON mode with tools', ['json_mode', 'tools'], () => ({ response_format: { type: 'json_object' }, tools })),
  feature('a strict schema', ['json_mode'], () => ({ response_format: schema(closed, true) })),
  feature('a loose schema', ['json_mode'], () => ({ response_format: schema(loose) })),
  feature('a schema of unknown names', ['json_mode'], () => ({ response_format: schema(map, false) })),
  feature('a schema that refers to itself', ['json_mode'], () => ({ response_format: schema(tree, false) })),
  feature('a schema with tools', ['json_mode', 'tools'], () => ({ response_format: schema(closed, true), tools })),
  turns(
    'an image',
    [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'What is it?' },
          { type: 'image_url', image_url: { url: png } },
        ],
      },
    ],
    ['vision'],
  ),
  turns(
    'a PDF',
    [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'What is it?' },
          { type: 'file', file: { file_data: pdf } },
        ],
      },
    ],
    ['files'],
  ),
  turns('system only', [{ role: 'system', content: 'Say hello.' }]),
  turns('system and developer', [
    { role: 'system', content: 'Be brief.' },
    { role: 'developer', content: 'In French.' },
    ...hello,
  ]),
  turns('assistant first', [{ role: 'assistant', content: 'Hello, what can I do?' }, ...hello]),
  turns('assistant last', [...hello, { role: 'assistant', content: 'In Paris it is ' }]),
  turns('blank turns', [
    { role: 'system', content: ' ' },
    ...hello,
    { role: 'assistant', content: '\n' },
    { role: 'user', content: 'Well?' },
  ]),
  turns('nothing but a blank turn', [{ role: 'user', content: '  ' }]),
  turns('a blank part', [
    {
      role: 'user',
      content: [
        { type: 'text', text: ' ' },
        { type: 'text', text: 'Well?' },
      ],
    },
  ]),
  turns('two turns of the user', [...hello, ...hello]),
  feature('a tool loop', ['tools'], () => ({ messages: loop, tools })),
  feature('a tool loop without its tools', [], () => ({ messages: loop })),
  feature('a tool loop with blank text', ['tools'], () => ({
    messages: [
      ...hello,
      { role: 'assistant', content: '\n\n', tool_calls: [call('call:1', 'Paris')] },
      result('call:1'),
    ],
    tools,
  })),
  feature('a tool loop of parallel calls', ['tools'], () => ({
    messages: [
      ...hello,
      { role: 'assistant', tool_calls: [call('call_1', 'Paris'), call('call_2', 'Rome')] },
      result('call_1'),
      result('call_2'),
    ],
    tools,
  })),
  feature('a tool loop with reasoning', ['tools'], (model) => ({
    messages: [
      ...hello,
      { role: 'assistant', content: 'Let me look.', tool_calls: [signedCall(model)] },
      result('call_1'),
    ],
    tools,
    reasoning_effort: 'high',
  })),
  feature('a tool loop of long ids', ['tools'], () => ({
    messages: [...hello, { role: 'assistant', tool_calls: [call(longId, 'Paris')] }, result(longId)],
    tools,
    reasoning_effort: 'low',
  })),
  feature('tools in the shortest answer', ['tools'], () => ({ tools, max_tokens: 1 })),
  feature('a tool loop whose reasoning was lost', ['tools'], () => ({
    messages: loop,
    tools,
    reasoning_effort: 'high',
  })),
  feature('a tool loop that another model began', ['tools'], () => ({
    messages: [
      ...hello,
      {
        role: 'assistant',
        content: null,
        tool_calls: [
          {
            ...call('call_1', 'Paris'),
            extra_content: {
              anthropic: {
                model: 'claude-sonnet-5',
                thinking: [anthropicThinking('claude-sonnet-5', 'Hm.')],
              },
            },
          },
        ],
      },
      result('call_1'),
    ],
    tools,
  })),
  feature('a picture in a result', ['tools', 'vision'], () => ({
    messages: [
      ...loop.slice(0, 2),
      result('call_1', [
        { type: 'text', text: 'A map:' },
        { type: 'image_url', image_url: { url: png } },
      ]),
    ] as Messages,
    tools,
  })),
  feature('the longest answer', [], ({ maxOutputTokens }) => ({ max_tokens: maxOutputTokens ?? 1 })),
];
