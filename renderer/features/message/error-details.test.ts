import { expect, test } from 'vitest';
import { errorDetails } from './error-details.ts';

test('what is copied of an error has its ids and nothing that looks like a key', () => {
  const message = { requestId: 'req_01JD', model: 'openai/gpt-5', finishedAt: 0, createdAt: 0 };
  const sentence =
    'Refused: Bearer sk-portico-AbCdEfGh0123456789, sk-proj-AbCd_1234, AIzaSyAbCdEfGh, org-12345, eyJhbGciOiJSUzI1NiJ9.e30.c2ln.';
  const details = errorDetails(message, { code: 'invalid_api_key', sentence });
  expect(JSON.parse(details)).toMatchObject({ code: 'invalid_api_key', requestId: 'req_01JD', model: 'openai/gpt-5' });
  expect(details).not.toMatch(/AbCd|12345|eyJ/);
  expect(details).toContain('Refused: Bearer [redacted]');
});
