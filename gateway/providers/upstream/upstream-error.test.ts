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
