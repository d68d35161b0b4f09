import { expect, test } from 'vitest';
import { coreOfTest } from '../../../../tests/support/core-of-test.ts';

test('the payer of a model is chosen by the same rule as when a message is sent', async () => {
  const core = await coreOfTest();
  const { client } = core;
  const payers = async () => {
    const asked = ['router', 'sandbox/tour', 'openai/gpt'].map((model) => client.models.payer({ model }));
    return (await Promise.all(asked)).map(({ billingAccount }) => billingAccount);
  };
  expect(await payers()).toEqual(['sandbox', 'sandbox', 'main']);
  await client.providers.setKey({ id: 'openai', key: 'sk-test-key-of-a-provider', baseUrl: null });
  expect(await payers()).toEqual(['main', 'sandbox', 'main']);
});
