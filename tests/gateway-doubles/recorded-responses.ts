/**
 * An answer of OpenAI's Responses API in its documented stream format
 * (https://developers.openai.com/api/reference/resources/responses/streaming-events, read 2026-11-22).
 */

let sequence = 0;
const event = (type: string, fields: object) => {
  const data = { type, sequence_number: sequence++, ...fields };
  return `event: ${type}\ndata: ${JSON.stringify(data)}\n\n`;
};

const usage = {
  input_tokens: 20,
  input_tokens_details: { cached_tokens: 8 },
  output_tokens: 11,
  output_tokens_details: { reasoning_tokens: 4 },
  total_tokens: 31,
};
const response = (status: string, more: object = {}) => ({
  id: 'resp_1',
  object: 'response',
  created_at: 1,
  status,
  model: 'gpt-x',
  store: false,
  error: null,
  incomplete_details: null,
  output: [],
  usage: null,
  ...more,
});

/** OpenAI's encrypted reasoning. */
export const recordedSecret = 'ZW5jcnlwdGVk';

const thought = (encrypted: string, text: string) => ({
  id: 'rs_1',
  type: 'reasoning',
  encrypted_content: encrypted,
  summary: [{ type: 'summary_text', text }],
});
const message = (text: string) => ({
  id: 'msg_1',
  type: 'message',
  status: 'completed',
  role: 'assistant',
  content: [{ type: 'output_text', annotations: [], logprobs: [], text }],
});
const call = (id: string, name: string, args: string) => ({
  id: `fc_${id}`,
  type: 'function_call',
  status: 'completed',
  arguments: args,
  call_id: `call_${id}`,
  name,
});
const citation = { type: 'url_citation', start_index: 0, end_index: 1, url: 'https://example.com', title: 'x' };

const output = [
  thought(recordedSecret, 'Hm.'),
  message('Grüße, 世界 👋'),
  call('a', 'one', '{"a":1}'),
  call('b', 'two', '{}'),
];

const inText = { item_id: 'msg_1', output_index: 1, content_index: 0 };
const inSummary = { item_id: 'rs_1', output_index: 0, summary_index: 0 };
const added = (index: number, item: object) => event('response.output_item.added', { output_index: index, item });
const done = (index: number) => event('response.output_item.done', { output_index: index, item: output[index] });

/** The answer as a stream: reasoning, text, two tool calls, usage. */
export const recordedResponse: readonly string[] = [
  event('response.created', { response: response('in_progress') }),
  event('response.in_progress', { response: response('in_progress') }),
  // The encrypted content isn't complete yet at this point.
  added(0, { ...thought('ZW5j', ''), summary: [] }),
  event('response.reasoning_summary_part.added', { ...inSummary, part: { type: 'summary_text', text: '' } }),
  event('response.reasoning_summary_text.delta', { ...inSummary, delta: 'Hm.', obfuscation: 'x8' }),
  event('response.reasoning_summary_text.done', { ...inSummary, text: 'Hm.' }),
  done(0),
  added(1, { ...message(''), status: 'in_progress', content: [] }),
  event('response.content_part.added', { ...inText, part: { type: 'output_text', annotations: [], text: '' } }),
  event('response.output_text.delta', { ...inText, delta: 'Grüße, ', logprobs: [], obfuscation: 'Jk2' }),
  event('response.output_text.annotation.added', { ...inText, annotation_index: 0, annotation: citation }),
  event('response.output_text.delta', { ...inText, delta: '世界 👋', logprobs: [], obfuscation: '' }),
  event('response.output_text.done', { ...inText, text: 'Grüße, 世界 👋', logprobs: [] }),
  done(1),
  added(2, { ...call('a', 'one', ''), status: 'in_progress' }),
  event('response.function_call_arguments.delta', { item_id: 'fc_a', output_index: 2, delta: '{"a":' }),
  event('response.function_call_arguments.delta', { item_id: 'fc_a', output_index: 2, delta: '1}' }),
  event('response.function_call_arguments.done', { item_id: 'fc_a', output_index: 2, arguments: '{"a":1}' }),
  done(2),
  added(3, { ...call('b', 'two', ''), status: 'in_progress' }),
  event('response.function_call_arguments.done', { item_id: 'fc_b', output_index: 3, arguments: '{}' }),
  done(3),
  event('response.completed', { response: response('completed', { output, usage }) }),
];

/** The same answer without streaming. */
export const recordedNonStreamingResponse = response('completed', { output, usage });
