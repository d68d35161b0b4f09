/**
 * The upstream's answers, as bytes made once, with the fields, sizes and order of OpenAI's chat completions. A stream
 * is 100 events of about 280 bytes. A non-streaming answer is one JSON document with the same text.
 */

/** The events of a streamed answer, including the role, the end and the usage. `[DONE]` doesn't count. */
export const eventCount = 100;

const tokens = [
  ' the',
  ' gateway',
  ' counts',
  ' every',
  ' token',
  ',',
  ' and',
  ' books',
  ' what',
  ' it',
  ' costs',
  '.',
];
const texts = Array.from({ length: eventCount - 3 }, (_, index) => tokens[index % tokens.length] ?? '');
const usage = {
  prompt_tokens: 250,
  completion_tokens: texts.length,
  total_tokens: 250 + texts.length,
  prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 },
  completion_tokens_details: { reasoning_tokens: 0, audio_tokens: 0 },
};
const shared = {
  id: 'chatcmpl-B9MBs8CjcvOU2jLn4n570S5qMJKcT',
  created: 1_741_569_952,
  model: 'gpt-4o-mini-2024-07-18',
  service_tier: 'default',
  system_fingerprint: 'fp_06737a9306',
};

export const nonStreamingAnswer = Buffer.from(
  JSON.stringify({
    ...shared,
    object: 'chat.completion',
    choices: [
      {
        index: 0,
        message: { role: 'assistant', content: texts.join(''), refusal: null, annotations: [] },
        logprobs: null,
        finish_reason: 'stop',
      },
    ],
    usage,
  }),
);

const event = (body: object) =>
  Buffer.from(`data: ${JSON.stringify({ ...shared, object: 'chat.completion.chunk', ...body })}\n\n`);
const choice = (delta: object, finish: string | null = null) => ({
  choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
});

/** The events one by one. The last one includes `[DONE]`, because OpenAI sends both in one packet. */
export const streamedAnswer: readonly Buffer[] = [
  event(choice({ role: 'assistant', content: '', refusal: null })),
  ...texts.map((content) => event(choice({ content }))),
  event(choice({}, 'stop')),
  Buffer.concat([event({ choices: [], usage }), Buffer.from('data: [DONE]\n\n')]),
];
