import { expect, test } from 'vitest';
import { testCore } from '../../../tests/support/test-core.ts';

test('who pays is told by the rule that messages are sent by', async () => {
  const core = await testCore();
  const { client } = core;
  const payers = async () => {
    const asked = ['router', 'sandbox/tour', 'openai/gpt'].map((model) => client.models.payer({ model }));
    return (await Promise.all(asked)).map(({ wallet }) => wallet);
  };
  expect(await payers()).toEqual(['sandbox', 'sandbox', 'main']);
  await client.providers.setKey({ id: 'openai', key: 'sk-test-key-of-a-provider', baseUrl: null });
  expect(await payers()).toEqual(['main', 'sandbox', 'main']);
  await core.close();
});
