import { expect, test } from 'vitest';
import { errorFromJson, errorFromResponse, isLacking } from './gateway-error.ts';

const body = (code: string, details?: object) =>
  JSON.stringify({
    error: {
      message: 'Too many.',
      type: 'rate_limit_error',
      param: null,
      code,
      status_code: 429,
      request_id: null,
      provider: null,
      retryable: true,
      ...(details ? { details } : {}),
    },
  });
const waitFor = async (headers: Record<string, string>, text = body('rate_limit_exceeded')) =>
  (await errorFromResponse(new Response(text, { status: 429, headers }))).retryAfterMs;

test('the retry delay is read in every form and is never longer than a day', async () => {
  expect(await waitFor({})).toBe(null);
  expect(await waitFor({ 'retry-after': '2' })).toBe(2000);
  expect(await waitFor({ 'retry-after': '2', 'retry-after-ms': '1500.2' })).toBe(1501);
  const date = 'Sun, 22 Nov 2026 10:00:00 GMT';
  expect(await waitFor({ date, 'retry-after': 'Sun, 22 Nov 2026 10:00:30 GMT' })).toBe(30_000);
  expect(await waitFor({ date, 'retry-after': 'Sun, 22 Nov 2026 09:00:00 GMT' })).toBe(null);
  for (const nonsense of ['-1', 'soon', '', 'NaN'])
    expect(await waitFor({ 'retry-after-ms': nonsense || '-' })).toBe(null);
  for (const endless of ['1e300', '99999999999', 'Infinity']) {
    expect(await waitFor({ 'retry-after': endless })).toBe(86_400_000);
  }
});

test('the retry delay of an error inside a stream is read from its details', async () => {
  expect(errorFromJson(body('upstream_rate_limited', { retry_after_ms: 1200 }))).toMatchObject({
    code: 'upstream_rate_limited',
    retryAfterMs: 1200,
  });
  expect(errorFromJson(body('upstream_rate_limited', { retry_after_ms: -5 }))?.retryAfterMs).toBe(null);
  expect(await waitFor({ 'retry-after': '3' }, body('rate_limit_exceeded', { retry_after_ms: 9 }))).toBe(3000);
});

test('an error page with a retry delay is not mistaken for a wrong address', async () => {
  const page = (status: number) =>
    errorFromResponse(new Response('<h1>Too Many Requests</h1>', { status, headers: { 'retry-after': '7' } }));
  expect(await page(429)).toMatchObject({ status_code: 429, code: 'rate_limit_exceeded', retryAfterMs: 7000 });
  expect(await page(503)).toMatchObject({ status_code: 503, code: 'server_overloaded', retryAfterMs: 7000 });
  expect(await page(404)).toMatchObject({ status_code: 404, code: 'not_a_gateway' });
});

test('a record that does not exist yet is not mistaken for a missing endpoint', async () => {
  const getCode = async (message: string) => {
    const error = await errorFromResponse(Response.json({ error: { code: 404, message } }, { status: 404 }));
    return [error.code, isLacking(error)];
  };
  expect(await getCode('Generation gen-1 not found')).toEqual(['generation_not_found', false]);
  expect(await getCode('Route GET /v1/generation not found')).toEqual(['unknown_endpoint', true]);
  expect(await getCode('Not Found')).toEqual(['unknown_endpoint', true]);
});
