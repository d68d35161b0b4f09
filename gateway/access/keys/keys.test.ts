import { describe, expect, test } from 'vitest';
import { errorBody } from '#shared/wire/error.ts';
import { apiKey, apiKeyList } from '#shared/wire/key.ts';
import { as, minting, openKeys } from '../../../tests/gateway-doubles/open-keys.ts';
import { errorCode, testNow } from '../../../tests/gateway-doubles/open-test-gateway.ts';

describe('§10 keys', () => {
  test('a key is made, works, is listed without itself, renamed and revoked', async () => {
    const { mint, call, change, chat, keyId } = await openKeys();
    const { key, ...made } = await mint({ label: ' laptop ' });
    expect(made).toMatchObject({
      label: 'laptop',
      status: 'active',
      spent_usd: '0',
      scopes: ['chat', 'models'],
      minted_by: keyId,
    });
    expect((await chat(key)).status).toBe(200);
    const text = await (await call('/v1/keys')).text();
    const list = apiKeyList.parse(JSON.parse(text));
    expect(list.data.map(({ id }) => id)).toContain(made.id);
    expect(Number(list.data[0]?.spent_usd)).toBeGreaterThan(0);
    expect(text).not.toContain(key);
    expect(apiKey.parse(await (await change(made.id, { label: 'desk' })).json()).label).toBe('desk');
    const revoked = await call(`/v1/keys/${made.id}`, { method: 'DELETE' });
    expect(apiKey.parse(await revoked.json()).status).toBe('revoked');
    expect(await errorCode(await chat(key))).toBe('invalid_api_key');
    expect((await call(`/v1/keys/${made.id}`, { method: 'DELETE' })).status).toBe(200);
    expect((await (await call('/v1')).json()).extensions).toContain('keys');
  });

  test('another account’s key is reported as not found', async () => {
    const { gateway, call, change, keyId } = await openKeys();
    const other = await gateway.operator.createAccount({ name: 'Other' });
    const foreignKey = await gateway.operator.createKey({ accountId: other.id, ...minting });
    for (const id of [foreignKey.id, 'key_0', `${keyId}x`]) {
      const answers = [await change(id, { label: 'mine' }), await call(`/v1/keys/${id}`, { method: 'DELETE' })];
      for (const answer of answers) expect([answer.status, await errorCode(answer)]).toEqual([404, 'key_not_found']);
    }
    expect((await call('/v1/account', as(foreignKey.key))).status).toBe(404);
    expect((await call(`/v1/keys?after=${foreignKey.id}`)).status).toBe(400);
    const list = apiKeyList.parse(await (await call('/v1/keys')).json());
    expect(list.data.map(({ id }) => id)).toEqual([keyId]);
    expect(await gateway.operator.listKeys(other.id)).toMatchObject([{ label: null, revokedAt: null }]);
  });

  test('an expired key gets 401 api_key_expired from the exact second on', async () => {
    const { mint, chat, pass, call } = await openKeys();
    const { key } = await mint({ expires_at: testNow / 1000 + 60 });
    pass(59_999);
    expect((await chat(key)).status).toBe(200);
    pass(1);
    const refused = await chat(key);
    expect([refused.status, await errorCode(refused)]).toEqual([401, 'api_key_expired']);
    expect(apiKeyList.parse(await (await call('/v1/keys')).json()).data[0]).toMatchObject({ status: 'expired' });
  });

  test('a used-up limit is 402 key_spend_limit_exceeded while the account has money, and own keys still work', async () => {
    const { mint, chat, change } = await openKeys();
    const { key, id } = await mint({ spend_limit_usd: '0.0001' });
    const refused = await chat(key, { max_tokens: 4000 });
    const { error } = errorBody.parse(await refused.json());
    expect(error).toMatchObject({ code: 'key_spend_limit_exceeded', type: 'billing_error', status_code: 402 });
    expect(error.details?.limit_usd).toBe('0.0001');
    expect((await chat(key, { provider: 'sandbox', byoapi_key: 'my-own-key' })).status).toBe(200);
    expect((await change(id, { spend_limit_usd: null })).status).toBe(200);
    expect((await chat(key, { max_tokens: 1000 })).status).toBe(200);
  });

  test.each([
    [{ scopes: ['admin'] }, 'invalid_value', 'scopes[0]'],
    [{ spend_limit_usd: '-1' }, 'invalid_value', 'spend_limit_usd'],
    [{ spend_limit_usd: 5 }, 'invalid_type', 'spend_limit_usd'],
    [{ spend_limit_usd: '1e3' }, 'invalid_value', 'spend_limit_usd'],
    [{ expires_at: testNow / 1000 }, 'invalid_value', 'expires_at'],
    [{ label: 'x'.repeat(101) }, 'invalid_value', 'label'],
  ])('a new key with %j is refused', async (body, code, param) => {
    const { post } = await openKeys();
    const response = await post('/v1/keys', body);
    expect(response.status).toBe(400);
    expect(errorBody.parse(await response.json()).error).toMatchObject({ code, param });
  });
});

test('a change cannot set an expiry in the past; a key is revoked instead', async () => {
  const { mint, change, list } = await openKeys();
  const { id } = await mint({});
  const response = await change(id, { expires_at: testNow / 1000 });
  const { error } = errorBody.parse(await response.json());
  expect(error).toMatchObject({
    code: 'invalid_value',
    param: 'expires_at',
    message: expect.stringMatching(/must be in the future/),
  });
  expect((await list()).find((entry) => entry.id === id)).toMatchObject({ status: 'active', expires_at: null });
});

describe('a minted key never exceeds the key that minted it', () => {
  test('a minted key gets no scope that its parent lacks', async () => {
    const { mint, post } = await openKeys({ scopes: ['account', 'models'] });
    expect((await mint({})).scopes).toEqual(['models']);
    expect((await mint({ scopes: ['models', 'account'] })).scopes).toEqual(['models', 'account']);
    const refused = await post('/v1/keys', { scopes: ['models', 'chat'] });
    expect([refused.status, await errorCode(refused)]).toEqual([403, 'insufficient_scope']);
  });

  test('a parent with none of the default scopes must name the scopes of a new key', async () => {
    const { mint, post } = await openKeys({ scopes: ['account'] });
    const refused = await post('/v1/keys', {});
    expect([refused.status, await errorCode(refused)]).toEqual([400, 'missing_required_parameter']);
    expect((await mint({ scopes: ['account'] })).scopes).toEqual(['account']);
  });

  test('a minted key gets no higher limit and no later expiry than its parent, when it is created or changed', async () => {
    const { mint, post, change } = await openKeys();
    const end = testNow / 1000 + 3600;
    const parent = await mint({ ...minting, spend_limit_usd: '2', expires_at: end });
    expect(await mint({}, parent.key)).toMatchObject({ spend_limit_usd: '2', expires_at: end });
    const child = await mint({ spend_limit_usd: '1', expires_at: end - 1 }, parent.key);
    for (const body of [{ spend_limit_usd: '2.1' }, { expires_at: end + 1 }]) {
      expect(await errorCode(await post('/v1/keys', body, as(parent.key)))).toBe('invalid_value');
    }
    for (const [id, body] of [
      [parent.id, { spend_limit_usd: '3' }],
      [parent.id, { spend_limit_usd: null }],
      [parent.id, { expires_at: null }],
      [child.id, { spend_limit_usd: '1.5' }],
      [child.id, { expires_at: end }],
    ] as const) {
      expect(await errorCode(await change(id, body, parent.key)), JSON.stringify(body)).toBe('invalid_value');
    }
    expect((await change(child.id, { spend_limit_usd: '0.5' }, parent.key)).status).toBe(200);
    expect((await change(parent.id, { spend_limit_usd: '9' })).status).toBe(200);
  });

  test('minted keys together never spend more than their parent may', async () => {
    const { mint, chat } = await openKeys();
    const parent = await mint({ ...minting, spend_limit_usd: '0.001' });
    const children = [await mint({}, parent.key), await mint({}, parent.key)];
    expect((await chat(children[0]?.key ?? '', { max_tokens: 10 })).status).toBe(200);
    const answers = await Promise.all(
      [...children, parent].flatMap(({ key }) => [chat(key, { max_tokens: 400 }), chat(key, { max_tokens: 400 })]),
    );
    const codes = answers.map((answer) => answer.status);
    expect(new Set(codes).size).toBeLessThanOrEqual(2);
    expect(codes.every((code) => code === 200 || code === 402)).toBe(true);
  });

  test('a minted key shares the rate limits of its parent', async () => {
    const { mint, chat, key } = await openKeys({ plan: 'free' });
    const { key: minted } = await mint(minting);
    const { key: grandchild } = await mint({}, minted);
    for (const used of [key, minted, grandchild]) await chat(used);
    const { headers } = await chat(minted);
    expect(headers.get('x-ratelimit-remaining-requests')).toBe('16');
  });

  test('a line of keys with a limit ends after four generations', async () => {
    const { mint, post } = await openKeys();
    let { key } = await mint({ ...minting, spend_limit_usd: '1' });
    for (let generation = 1; generation < 4; generation += 1) key = (await mint(minting, key)).key;
    expect(await errorCode(await post('/v1/keys', {}, as(key)))).toBe('plan_limit_exceeded');
  });
});
