import { expect, test } from 'vitest';
import { errorDetails } from './error-block.tsx';

const canary = 'sk-portico-AbCdEfGh0123456789';
const app = { version: '1.2.3', platform: 'linux', host: 'web' };
const failed = {
  requestId: 'req_01JD',
  model: 'openai/gpt-5',
  modelName: 'GPT-5',
  finishedAt: 0,
  createdAt: 0,
  error: {
    code: 'upstream_invalid_request',
    message: '',
    retryAfterMs: null,
    status: 400,
    provider: 'OpenAI',
    providerError: { status: 400, code: 'bad_request', message: `No: Bearer ${canary}, AIzaSyAbCdEfGh` },
  },
};

test('the copied details of an error contain ids, versions and the provider’s message, and nothing that looks like a key', () => {
  const sentence = `Refused: Bearer ${canary}, sk-proj-AbCd_1234, AIzaSyAbCdEfGh, org-12345, eyJhbGciOiJSUzI1NiJ9.e30.c2ln.`;
  const details = errorDetails(failed, { code: 'upstream_invalid_request', sentence }, app);
  expect(JSON.parse(details)).toMatchObject({
    code: 'upstream_invalid_request',
    status: 400,
    requestId: 'req_01JD',
    model: 'openai/gpt-5',
    modelName: 'GPT-5',
    provider: 'OpenAI',
    app,
    providerError: { status: 400, code: 'bad_request', message: 'No: Bearer [redacted], [redacted]' },
  });
  expect(details).not.toMatch(/AbCd|12345|eyJ/);
  expect(details).toContain('Refused: Bearer [redacted]');
});
