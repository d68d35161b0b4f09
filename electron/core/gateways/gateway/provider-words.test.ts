import { expect, test } from 'vitest';
import { openGateway } from '#gateway/open-gateway.ts';
import { coreOfTest } from '../../../../tests/support/core-of-test.ts';
import { readThread } from '../../../../tests/support/read-thread.ts';

const json = (status: number, body: object) => Response.json(body, { status });

/** Opens a core with its own gateway; OpenAI fails every chat with this status and error. */
async function failing(status: number, error: object) {
  const send: typeof fetch = async (_url, init) =>
    init?.method === 'POST' ? json(status, { error }) : json(200, { object: 'list', data: [{ id: 'gpt-5.4-mini' }] });
  const { client } = await coreOfTest({ openGateway, fetch: send });
  await client.providers.setKey({ id: 'openai', key: 'sk-key-of-the-person-6789' });
  const sent = await client.chat.send({ messageId: 'm', text: 'Hello', model: 'openai/gpt-5.4-mini' });
  const answer = async () => (await readThread(client, sent.conversationId)).messages.at(-1);
  await expect.poll(async () => (await answer())?.status).toBe('error');
  return (await answer())?.error;
}

test.each([
  [401, 'invalid_api_key', 'Incorrect API key provided.'],
  [429, 'rate_limit_exceeded', 'Limit 30000, used 29500, requested 900.'],
  [500, 'server_error', 'The server had an error.'],
])('an answer that failed with %i contains the provider’s own error message', async (status, code, message) => {
  expect(await failing(status, { message, code })).toMatchObject({ providerError: { status, code, message } });
});

test('no retry time is shown when the account at the provider is empty', async () => {
  const error = await failing(429, { message: 'Check your plan and billing.', code: 'insufficient_quota' });
  expect(error).toMatchObject({
    code: 'no_provider_available',
    message: 'The account at OpenAI has no quota left.',
    retryAfterMs: null,
    providerError: { message: 'Check your plan and billing.' },
  });
});
