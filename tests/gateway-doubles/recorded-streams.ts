/** Answers in each vendor's documented stream format: reasoning if the vendor has it, text, two tool calls, usage. */

const text = 'Grüße, 世界 👋';

const openaiChunk = (fields: object) =>
  JSON.stringify({ id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'gpt-x', ...fields });
const openaiDelta = (delta: object, finish: string | null = null) =>
  openaiChunk({ choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }], usage: null });

const openai = [
  openaiDelta({ role: 'assistant', content: '', refusal: null }),
  openaiDelta({ content: 'Grüße, ' }),
  openaiDelta({ content: '世界 👋' }),
  openaiDelta({ tool_calls: [{ index: 0, id: 'call_a', type: 'function', function: { name: 'one', arguments: '' } }] }),
  openaiDelta({ tool_calls: [{ index: 0, function: { arguments: '{"a":' } }] }),
  openaiDelta({ tool_calls: [{ index: 0, function: { arguments: '1}' } }] }),
  openaiDelta({
    tool_calls: [{ index: 1, id: 'call_b', type: 'function', function: { name: 'two', arguments: '{}' } }],
  }),
  openaiDelta({}, 'tool_calls'),
  openaiChunk({
    choices: [],
    usage: {
      prompt_tokens: 20,
      completion_tokens: 11,
      total_tokens: 31,
      prompt_tokens_details: { cached_tokens: 8 },
      completion_tokens_details: { reasoning_tokens: 4 },
    },
  }),
  '[DONE]',
].map((data) => `data: ${data}\n\n`);

const anthropicEvent = (type: string, fields: object = {}) =>
  `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
const anthropicDelta = (index: number, delta: object) => anthropicEvent('content_block_delta', { index, delta });
const anthropicBlock = (index: number, content_block: object, ...deltas: object[]) => [
  anthropicEvent('content_block_start', { index, content_block }),
  ...deltas.map((delta) => anthropicDelta(index, delta)),
  anthropicEvent('content_block_stop', { index }),
];

const anthropic = [
  anthropicEvent('message_start', {
    message: {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'claude-x',
      content: [],
      stop_reason: null,
      usage: { input_tokens: 10, cache_read_input_tokens: 8, cache_creation_input_tokens: 2, output_tokens: 1 },
    },
  }),
  anthropicEvent('ping'),
  ...anthropicBlock(
    0,
    { type: 'thinking', thinking: '', signature: '' },
    { type: 'thinking_delta', thinking: 'Hm.' },
    { type: 'signature_delta', signature: 'c2ln' },
  ),
  ...anthropicBlock(
    1,
    { type: 'text', text: '' },
    { type: 'text_delta', text: 'Grüße, ' },
    { type: 'text_delta', text: '世界 👋' },
  ),
  ...anthropicBlock(
    2,
    { type: 'tool_use', id: 'toolu_a', name: 'one', input: {} },
    { type: 'input_json_delta', partial_json: '' },
    { type: 'input_json_delta', partial_json: '{"a":' },
    { type: 'input_json_delta', partial_json: '1}' },
  ),
  ...anthropicBlock(3, { type: 'tool_use', id: 'toolu_b', name: 'two', input: {} }),
  anthropicEvent('message_delta', {
    delta: { stop_reason: 'tool_use', stop_sequence: null },
    usage: { output_tokens: 11 },
  }),
  anthropicEvent('message_stop'),
];

const googleEvent = (parts: object[], more: object = {}, finish: object = {}) =>
  `data: ${JSON.stringify({
    candidates: [{ content: { parts, role: 'model' }, index: 0, ...finish }],
    modelVersion: 'gemini-x',
    ...more,
  })}\r\n\r\n`;
const googleUsage = (candidatesTokenCount: number) => ({
  usageMetadata: {
    promptTokenCount: 18,
    toolUsePromptTokenCount: 2,
    cachedContentTokenCount: 8,
    candidatesTokenCount,
    thoughtsTokenCount: 4,
    totalTokenCount: 24 + candidatesTokenCount,
  },
});

const google = [
  googleEvent([{ text: 'Hm.', thought: true }]),
  googleEvent([{ text: 'Grüße, ' }], googleUsage(2)),
  googleEvent([{ text: '世界 👋' }], googleUsage(5)),
  googleEvent([
    { functionCall: { id: 'fc_a', name: 'one', args: { a: 1 } }, thoughtSignature: 'c2ln' },
    { functionCall: { id: 'fc_b', name: 'two', args: {} } },
  ]),
  googleEvent([{ text: '' }], googleUsage(7), { finishReason: 'STOP' }),
];

/** The same answer without streaming (`:generateContent`). */
export const recordedNonStreamingGoogle = {
  candidates: [
    {
      content: {
        role: 'model',
        parts: [
          { text: 'Hm.', thought: true },
          { text: 'Grüße, 世界 👋' },
          { functionCall: { id: 'fc_a', name: 'one', args: { a: 1 } }, thoughtSignature: 'c2ln' },
          { functionCall: { id: 'fc_b', name: 'two', args: {} } },
        ],
      },
      finishReason: 'STOP',
      index: 0,
    },
  ],
  modelVersion: 'gemini-x',
  ...googleUsage(7),
};

export const recordedStreams = { text, openai, anthropic, google };
