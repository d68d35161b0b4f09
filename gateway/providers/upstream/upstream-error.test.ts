import fc from 'fast-check';
import { expect, test } from 'vitest';
import { AppError } from '#shared/errors.ts';
import { getReason, readFault, scrub, upstreamError } from './upstream-error.ts';

test.each([
  'Incorrect API key provided: sk-proj-abc***xyz.',
  'Organization org-1234567890 has no access',
  'see https://platform.example.com/account?key=abc',
  'token eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJ4In0.abc',
  'key AIzaSyD-1234567890abcdef',
  'Incorrect API key provided: xai-AbCd1234EfGh5678.',
  'Invalid API Key gsk_AbCd1234EfGh5678',
])('the key, organisation or URL in %j is removed', (text) => {
  expect(scrub(text)).not.toMatch(/sk-proj|org-123|https?:|eyJ|AIza|AbCd|EfGh/);
});

test('a provider’s message is never longer than a paragraph', () => {
  expect(scrub('word '.repeat(10_000)).length).toBeLessThanOrEqual(500);
});

test('any error that a provider sends becomes an AppError', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.option(fc.integer({ min: 400, max: 599 })), (body, status) => {
      expect(upstreamError(readFault(body, 'openai', status))).toBeInstanceOf(AppError);
    }),
  );
});

test.each([
  ["Unsupported value: 'temperature' does not support 0 with this model.", 'unsupported_value', true],
  ['tool_choice: type "tool" and "any" are not supported for this model.', null, true],
  ['This model does not support assistant message prefill.', null, true],
  ['Thinking level MINIMAL is not supported for this model. Please retry with other thinking level.', null, true],
  ['`temperature` is deprecated for this model.', null, true],
  ['messages: text content blocks must contain non-whitespace text', null, false],
  ["Invalid schema for response_format 'x'", 'invalid_value', false],
  ['This file type is not supported.', null, false],
])('the message %j with the code %j is a refusal by this model only: %s', (message, code, isModels) => {
  const error = upstreamError(readFault({ error: { message, code } }, 'openai', 400));
  expect(getReason(error)).toBe(isModels ? 'model_refuses' : null);
});

test("an error contains the provider's message without keys", () => {
  const body = {
    error: { message: 'No: sk-proj-abcdef.', type: 'invalid_request_error', param: 'top_p', code: 'bad_thing' },
  };
  const reported = { code: 'bad_thing', param: 'top_p', message: 'No: [redacted]' };
  expect(upstreamError(readFault(body, 'openai', 400)).providerError).toEqual({ status: 400, ...reported });
  const overloaded = upstreamError(readFault(body, 'openai', 503)).providerError;
  expect(overloaded).toEqual({ status: 503, ...reported });
});

test("a retry delay in Google's error body is used", () => {
  const details = [
    { '@type': 'type.googleapis.com/google.rpc.QuotaFailure' },
    { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '34.07s' },
  ];
  const fault = readFault(
    { error: { code: 429, message: 'Slow down', status: 'RESOURCE_EXHAUSTED', details } },
    'google',
    429,
  );
  expect(upstreamError(fault).retryAfterMs).toBe(34_070);
});

test('a retry delay is limited to a day, in the body and in a header', () => {
  const details = [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: `${'9'.repeat(30)}s` }];
  for (const status of [429, 503]) {
    const error = upstreamError(readFault({ error: { code: status, message: 'x', details } }, 'google', status));
    expect(error.retryAfterMs).toBe(86_400_000);
  }
});

test.each([
  [429, 7_000, 'openai is limiting the rate of requests.'],
  [429, 60_000, 'openai is limiting the rate of requests.'],
  [429, 61_000, 'openai is limiting the rate of requests: it accepts none for 2 minutes.'],
  [429, 5_400_000, 'openai is limiting the rate of requests: it accepts none for 90 minutes.'],
  [429, 20_000_000, 'openai is limiting the rate of requests: it accepts none for 6 hours.'],
  [429, 287_441_000, 'openai is limiting the rate of requests: it accepts none for 4 days.'],
  [429, 1e17, 'openai is limiting the rate of requests: it accepts none for more than a month.'],
])('the error names a wait of more than a minute: %i, %i ms', (status, retryAfterMs, message) => {
  const fault = { ...readFault({ error: { message: 'no' } }, 'openai', status), retryAfterMs };
  expect(upstreamError(fault).message).toBe(message);
});

const role = { type: 'enum', loc: ['body', 'messages', 0, 'role'], msg: "Input should be 'user' or 'system'" };
const roleRefused = "body.messages.0.role: Input should be 'user' or 'system'";

test.each<[string, unknown, string]>([
  ['FastAPI’s text', { detail: 'The tool parser is not set.' }, 'The tool parser is not set.'],
  ['FastAPI’s list', { detail: [role, { ...role, loc: [] }] }, `${roleRefused}; ${role.msg}`],
  ['Mistral’s list', { object: 'error', message: { detail: [role] }, type: 'invalid_request_error' }, roleRefused],
  ['a text in msg', { code: 1261, msg: 'No such thing.' }, 'No such thing.'],
  ['a list of errors', { errors: [{ message: 'One.' }, 'Two.'] }, 'One.; Two.'],
  ['a detail inside the error', { error: { detail: 'Deep.' } }, 'Deep.'],
  ['OAuth’s fields', { error: 'invalid_grant', error_description: 'It is over.' }, 'invalid_grant'],
  [
    'problem details',
    { title: 'Bad Request', detail: 'The field "n" is unknown.', status: 400 },
    'The field "n" is unknown.',
  ],
  ['a message beside the error', { message: 'Bad Request', error: { message: 'Why.' } }, 'Why.'],
  ['OpenAI’s envelope', { error: { message: 'Plain.', type: 'x', code: null } }, 'Plain.'],
  ['Google’s list', [{ error: { code: 400, message: 'Listed.', status: 'INVALID_ARGUMENT' } }], 'Listed.'],
  ['only a text', { error: 'Text.' }, 'Text.'],
  ['nothing', { ok: false, detail: ' ', message: {} }, 'The provider refused the request.'],
])("the provider's reason is found in %s", (_name, body, message) => {
  expect(upstreamError(readFault(body, 'custom', 422))).toMatchObject({ code: 'upstream_invalid_request', message });
});

test.each([
  "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.",
  'prompt is too long: 215000 tokens > 200000 maximum',
  'input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000',
  'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
  'request (9000 tokens) exceeds the available context size (8192 tokens), try increasing it',
  'the request exceeds the available context size. try increasing the context size or enable context shift',
  'Trying to keep the first 9000 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens, which is not enough.',
  'The number of tokens to keep from the initial prompt is greater than the context length.',
  'Reached context length of 4096 tokens with this model, but it does not currently support mid-generation context overflow.',
  "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
  'Invalid request: Your request exceeded model token limit: 262144 (requested: 291351)',
  'The decoder prompt (length 5000) is longer than the maximum model length of 4096.',
  "The input (9000 tokens) is longer than the model's context length (8192 tokens).",
  'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4097. Given: 5000 `inputs` tokens',
  'Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length',
  'too many tokens: total number of tokens in the prompt cannot exceed 4081 - received 5000.',
  'Range of input length should be [1, 129024]',
  'Input is too long for requested model.',
  'Prompt exceeds max length',
  'prompt too long; exceeded max context length by 4 tokens',
  'invalid params, context window exceeds limit (2013)',
  'Please reduce the length of the messages or completion. Current length is 9000 while limit is 8192',
])('a full context is recognised by %j', (message) => {
  for (const status of [400, 422, 500]) {
    expect(upstreamError(readFault({ error: { message } }, 'custom', status)).code).toBe('context_length_exceeded');
  }
  expect(upstreamError(readFault({ detail: message }, 'custom', 400)).code).toBe('context_length_exceeded');
});

test.each([
  'max_tokens is too large: 100000. This model supports at most 16384 completion tokens.',
  "Invalid 'tools[0].function.name': string too long. Expected a string with maximum length 64.",
  'Invalid value: too many stop sequences.',
  'The length of the array messages must be at least 1.',
  'string_above_max_length: Expected a string with maximum length 1048576.',
  'Too many tools: at most 128.',
])('a refusal of something else is no full context: %j', (message) => {
  expect(upstreamError(readFault({ error: { message } }, 'custom', 400)).code).toBe('upstream_invalid_request');
});
