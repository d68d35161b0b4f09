import { expect, test } from 'vitest';
import { errorCode, openTestGateway } from '../../../tests/gateway-doubles/open-test-gateway.ts';

const path = '/v1/chat/completions';
const messages = [{ role: 'user', content: 'hi' }];

async function open(
  entry: Parameters<Awaited<ReturnType<typeof openTestGateway>>['gateway']['operator']['definePlan']>[1],
) {
  const opened = await openTestGateway();
  const { operator } = opened.gateway;
  await operator.definePlan('team', entry);
  await operator.setAccountPlan(opened.account.id, 'team');
  const ask = (more: object) => opened.post(path, { messages, ...more });
  return { ...opened, operator, ask };
}

test('a defined plan determines which features and models its accounts have', async () => {
  const { ask, call, operator, pass } = await open({ features: ['chat'], models: ['sandbox/*', '!sandbox/tools'] });
  const usable = { model: 'sandbox/echo' };
  expect((await ask(usable)).status).toBe(200);
  const refusals = [
    [await ask({ model: 'router' }), 'plan_required', 'router'],
    [await ask({ ...usable, byoapi_key: 'own-key-12345' }), 'plan_required', 'byok'],
    [await call('/v1/usage'), 'plan_required', 'usage_api'],
  ] as const;
  for (const [response, code, feature] of refusals) {
    expect(response.status, feature).toBe(403);
    expect((await response.json()).error, feature).toMatchObject({
      code,
      type: 'permission_error',
      details: { feature },
    });
  }
  const outside = await ask({ model: 'openai/gpt-5.4-mini' });
  expect([outside.status, await errorCode(outside)]).toEqual([403, 'model_not_in_plan']);
  const getStatus = async (id: string) => (await (await call(`/v1/models/${id}`)).json()).status;
  expect(await getStatus('openai/gpt-5.4-mini')).toBe('plan_required');
  expect(await getStatus('sandbox/tools')).toBe('plan_required');
  expect(await getStatus('sandbox/echo')).toBe('available');
  const { plan } = await (await call('/account')).json();
  expect(plan).toMatchObject({ id: 'team', features: ['chat'], limits: { models: ['sandbox/*', '!sandbox/tools'] } });
  await operator.definePlan('team', { features: ['usage_api'] });
  pass(2001);
  expect(await errorCode(await ask(usable))).toBe('plan_required');
});

test('quotas and limits of a defined plan apply, also after it is redefined', async () => {
  const { ask, pass, operator } = await open({ requests_per_day: 1, max_output_tokens: 50 });
  const model = 'sandbox/echo';
  expect(await errorCode(await ask({ model, max_tokens: 51 }))).toBe('max_tokens_too_large');
  expect((await ask({ model })).status).toBe(200);
  expect(await errorCode(await ask({ model }))).toBe('plan_limit_exceeded');
  await operator.definePlan('team', { requests_per_day: 2 });
  pass(2001);
  expect((await ask({ model, max_tokens: 51 })).status).toBe(200);
  expect(await errorCode(await ask({ model }))).toBe('plan_limit_exceeded');
});

test('a plan that accounts have cannot be removed, and a shipped one returns to its shipped form', async () => {
  const { operator, account } = await open({ name: 'Team' });
  const getName = async (id: string) => (await operator.plans()).find((plan) => plan.id === id)?.name;
  await expect(operator.removePlan('team')).rejects.toThrow('1 accounts have the plan "team"');
  await operator.setAccountPlan(account.id, 'free');
  await operator.removePlan('team');
  expect(await getName('team')).toBeUndefined();
  await operator.definePlan('free', { name: 'Gratis' });
  expect(await getName('free')).toBe('Gratis');
  await operator.removePlan('free');
  expect(await getName('free')).toBe('Free');
  await expect(operator.removePlan('free')).rejects.toMatchObject({ code: 'not_found' });
  await expect(operator.setAccountPlan(account.id, 'team')).rejects.toThrow('There is no plan "team". Plans: free,');
});

test.each([
  ['Team', {}, 'cannot be called "Team"'],
  ['team', { features: ['chat', 'teleport'] }, 'features.1: must be one of chat, router, byok, usage_api'],
  ['team', { models: ['open ai'] }, 'models.0: must be a model such as'],
  ['team', { requests_per_minute: 0 }, 'requests_per_minute: must be at least 1'],
  ['team', { monthly_spend_usd: '-5' }, 'monthly_spend_usd: must be a decimal string in USD'],
  ['team', { requests: 5 }, 'Unrecognized key: "requests"'],
])('an invalid definition is refused with a reason: %s %j', async (id, entry, why) => {
  const { gateway } = await openTestGateway();
  await expect(gateway.operator.definePlan(id, entry as object)).rejects.toThrow(why);
});
