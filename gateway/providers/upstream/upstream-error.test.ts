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
])('%j keeps no key, organisation or address', (text) => {
  expect(scrub(text)).not.toMatch(/sk-proj|org-123|https?:|eyJ|AIza|AbCd|EfGh/);
});

test('a provider’s message is never longer than a paragraph', () => {
  expect(scrub('word '.repeat(10_000)).length).toBeLessThanOrEqual(500);
});

test('whatever a provider sends as an error becomes one of ours', () => {
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
])('%j with the code %j is the model’s own refusal: %s', (message, code, isModels) => {
  const error = upstreamError(readFault({ error: { message, code } }, 'openai', 400));
  expect(getReason(error)).toBe(isModels ? 'model_refuses' : null);
});

test('a failure says what the provider said, without keys', () => {
  const body = {
    error: { message: 'No: sk-proj-abcdef.', type: 'invalid_request_error', param: 'top_p', code: 'bad_thing' },
  };
  const said = { code: 'bad_thing', param: 'top_p', message: 'No: [redacted]' };
  expect(upstreamError(readFault(body, 'openai', 400)).providerError).toEqual({ status: 400, ...said });
  const overloaded = upstreamError(readFault(body, 'openai', 503)).providerError;
  expect(overloaded).toEqual({ status: 503, ...said });
});

test('the wait that Google says in the body is a wait', () => {
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

test('a wait that a provider names in its body is at most a day, like one in its headers', () => {
  const details = [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: `${'9'.repeat(30)}s` }];
  for (const status of [429, 503]) {
    const error = upstreamError(readFault({ error: { code: status, message: 'x', details } }, 'google', status));
    expect(error.retryAfterMs).toBe(86_400_000);
  }
});
