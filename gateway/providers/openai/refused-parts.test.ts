import { expect, test } from 'vitest';
import { AppError } from '#shared/errors.ts';
import { createRefusedParts } from './openai.ts';

const credential = () => ({ apiKey: null, baseUrl: 'https://api.openai.com/v1' });
const asked = { model: 'gpt-6-sol', facts: null };
const refusal = (status: number, param: string | null, message: string, code = 'unsupported_value') =>
  new AppError('upstream_invalid_request', message, { providerError: { status, code, param, message } });
const unverified = (param: string) => refusal(400, param, 'Your organization must be verified to do this.');
const all = { stream: true, summary: true, reasoning: true };

test('a refusal is remembered for 15 minutes, and for one credential only', () => {
  let now = 0;
  const parts = createRefusedParts(() => now);
  const mine = credential();
  expect(parts.without(all, unverified('stream'), mine, asked)).toEqual({ ...all, stream: false });
  now = 899_999;
  expect(parts.initialParts(mine, asked)).toEqual({ ...all, stream: false });
  expect(parts.initialParts(credential(), asked)).toEqual(all);
  now = 900_000;
  expect(parts.initialParts(mine, asked)).toEqual(all);
});

test.each([
  ['another parameter', unverified('temperature')],
  ['a parameter that the model does not take', refusal(400, 'stream', "Unsupported value: 'stream'.")],
  ['a server error', refusal(500, 'stream', 'must be verified')],
  ['an unknown error', new Error('must be verified')],
  ['a feature that is already left out', unverified('summary')],
])('a refusal because of %s turns off no feature', (_what, error) => {
  expect(createRefusedParts().without({ ...all, summary: false }, error, credential(), asked)).toBeNull();
});
