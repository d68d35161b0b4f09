import fc from 'fast-check';
import { expect, test } from 'vitest';
import { AppError } from '#shared/errors.ts';
import { readFault, scrub, upstreamError } from './upstream-error.ts';

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
