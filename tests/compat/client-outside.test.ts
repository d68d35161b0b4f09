import { afterAll, beforeAll, expect, test } from 'vitest';
import { allScopes } from '#gateway/access/auth/scopes.ts';
import { type GatewayClient, gatewayClient } from '#shared/client/gateway-client.ts';
import { parseUsd } from '#shared/money.ts';
import type { OwnGateway } from '../../gateway/gateway.ts';
import { type Listening, listen } from '../../gateway/http/listen.ts';
import { openGateway } from '../../gateway/open-gateway.ts';

/** Uses the client as another program does: with its own fetch, over a socket, and without the app. */
let gateway: OwnGateway;
let server: Listening;
let client: GatewayClient;
let accountId: string;
/** The client's methods that some test called. */
const used = new Set<string>();

const watched = (inner: GatewayClient): GatewayClient =>
  new Proxy(inner, {
    get(target, name, receiver) {
      used.add(String(name));
      return Reflect.get(target, name, receiver);
    },
  });

beforeAll(async () => {
  gateway = await openGateway({ database: ':memory:', sandboxPace: 0 });
  server = await listen(gateway, { port: 0 });
  const account = await gateway.operator.createAccount({ name: 'Outside' });
  accountId = account.id;
  await gateway.operator.grant({ accountId, amount: parseUsd('1') });
  const { key } = await gateway.operator.createKey({ accountId, scopes: allScopes });
  client = watched(gatewayClient({ baseUrl: `${server.url}/v1/`, apiKey: key }));
});
afterAll(async () => {
  await server.close();
  await gateway.close();
});

const messages = [{ role: 'user' as const, content: 'hello' }];

test('quotes a request, sends it, and finds its cost in the records', async () => {
  const body = { model: 'sandbox/echo', messages, max_tokens: 20, metadata: { purpose: 'tool' } };
  const quoted = await client.quote(body);
  const answer = await client.completion(body);
  expect(answer.choices[0]?.message.content).toBe('hello');
  const cost = parseUsd(answer.usage.cost_usd);
  expect(cost).toBeGreaterThanOrEqual(parseUsd(quoted.cost_usd.low));
  expect(cost).toBeLessThanOrEqual(parseUsd(quoted.cost_usd.high));
  const { data } = await client.requests({ purpose: 'tool', limit: 5 });
  expect(data).toMatchObject([{ model: 'echo', cost_usd: answer.usage.cost_usd, status: 'succeeded' }]);
  expect(await client.requestRecord(data[0]?.id ?? '')).toEqual(data[0]);
});

test('streams both APIs to the same text', async () => {
  let prompt = '';
  for await (const { text } of client.chatStream({ model: 'sandbox/echo', prompt: 'hello' })) prompt += text;
  let completion = '';
  for await (const chunk of await client.completionStream({ model: 'sandbox/echo', messages })) {
    completion += chunk.choices[0]?.delta.content ?? '';
  }
  expect([prompt, completion]).toEqual(['hello', 'hello']);
  expect((await client.chat({ model: 'sandbox/echo', prompt: 'hello' })).text).toBe('hello');
});

test("reads the account, the ledger page by page, usage, models and the gateway's features", async () => {
  expect((await client.info()).extensions).toEqual(expect.arrayContaining(['quote', 'requests']));
  expect((await client.models()).data.map(({ id }) => id)).toContain('sandbox/echo');
  expect((await client.model('sandbox/echo')).simulated).toBe(true);
  expect((await client.prices()).data.map(({ id }) => id)).toContain('openai/gpt-5.4-mini');
  expect((await client.priceHistory('openai/gpt-5.4-mini')).data.length).toBeGreaterThan(0);
  expect(await client.account()).toMatchObject({ id: accountId });
  expect((await client.verify()).credential?.type).toBe('api_key');
  expect((await client.usage({ group_by: 'model' })).data).toMatchObject([{ model: 'echo' }]);
  const lines: string[] = [];
  let after: string | undefined;
  for (;;) {
    const { transactions } = await client.credits({ limit: 1, order: 'asc', ...(after ? { after } : {}) });
    lines.push(...transactions.data.flatMap((line) => line.type ?? []));
    if (!transactions.has_more || transactions.last_id === null) break;
    after = transactions.last_id;
  }
  expect(lines[0]).toBe('grant');
  expect(lines.slice(1).every((type) => type === 'usage')).toBe(true);
  expect(lines.length).toBeGreaterThan(3);
});

test('accepts a token as well as a key, and uses a new token as soon as there is one', async () => {
  const user = await gateway.operator.createUser({ accountId, name: 'Ada' });
  const issue = () => gateway.operator.issueToken({ userId: user.id, scopes: ['models'], lifetimeS: 60 });
  let { token, id } = await issue();
  const ada = gatewayClient({ baseUrl: server.url, apiKey: () => token });
  expect((await ada.verify()).credential).toMatchObject({ type: 'jwt', scopes: ['models'] });
  await expect(ada.account()).rejects.toMatchObject({ status_code: 403, code: 'insufficient_scope' });
  await gateway.operator.revokeTokens(id);
  await expect(ada.models()).rejects.toMatchObject({ status_code: 401, code: 'invalid_token' });
  ({ token, id } = await issue());
  expect((await ada.models()).data.length).toBeGreaterThan(1);
});

test('makes, changes and revokes keys, and shows each key only once', async () => {
  const made = await client.createKey({ label: 'A program', scopes: ['chat'], spend_limit_usd: '1' });
  expect(made.key).toMatch(/^sk-portico-/);
  const { key: _key, ...listed } = made;
  expect((await client.keys({ limit: 1 })).data).toEqual([listed]);
  expect(await client.changeKey(made.id, { label: 'Renamed', spend_limit_usd: null })).toMatchObject({
    label: 'Renamed',
    spend_limit_usd: null,
    status: 'active',
  });
  expect(await client.revokeKey(made.id)).toMatchObject({ status: 'revoked' });
  const program = gatewayClient({ baseUrl: server.url, apiKey: made.key });
  await expect(program.verify()).rejects.toMatchObject({ code: 'invalid_api_key' });
});

test('reports what is wrong: no gateway, an answer of another server, a call that was aborted', async () => {
  const nowhere = gatewayClient({ baseUrl: 'http://127.0.0.1:9', apiKey: 'x' });
  await expect(nowhere.models()).rejects.toMatchObject({ status_code: 0, code: 'unreachable' });
  const other = gatewayClient({ baseUrl: server.url, apiKey: 'x', fetch: async () => Response.json({ hello: 1 }) });
  await expect(other.account()).rejects.toMatchObject({ code: 'not_a_gateway' });
  const given = AbortSignal.abort(new Error('no longer wanted'));
  await expect(client.models({ signal: given })).rejects.toThrow('no longer wanted');
});

test('has no method that these tests do not call', () => {
  expect([...Object.keys(client)].filter((name) => !used.has(name))).toEqual([]);
});
