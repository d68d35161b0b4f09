import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { parseUsd } from '#shared/money.ts';
import { openTestGateway, type TestGatewayOptions } from '../../../tests/gateway-doubles/open-test-gateway.ts';
import { onPostgres, sharedDatabase, testDatabase } from '../../../tests/gateway-doubles/test-database.ts';
import { thoughtThrough, weatherCalls } from '../../../tests/gateway-doubles/vendors/tool-loops.ts';
import { openVendorDouble } from '../../../tests/gateway-doubles/vendors/vendor-double.ts';
import { allScopes } from '../../access/auth/scopes.ts';
import { Secret } from '../../access/auth/secret.ts';
import { openDatabase } from '../../storage/open-database.ts';
import { createTransact } from '../../storage/transact.ts';
import { createSealing } from '../idempotency/sealing.ts';
import { createReasoningState, maxKept, maxState, usualKeptMs } from './reasoning-state.ts';

const model = 'anthropic/claude-opus-5-5';
const tools = [{ type: 'function', function: { name: 'weather' } }];
type Message = Record<string, unknown>;

async function open(options: TestGatewayOptions = {}) {
  const vendors = openVendorDouble({ loop: () => weatherCalls });
  const opened = await openTestGateway({
    plan: 'enterprise',
    fetch: vendors.send,
    providers: { anthropic: { apiKey: new Secret('platform-key'), baseUrl: 'https://anthropic.example' } },
    ...options,
  });
  const ask = async (messages: readonly Message[], more: object = {}, key = opened.key): Promise<Message> => {
    const headers = { authorization: `Bearer ${key}` };
    const answer = await opened.post('/v1/chat/completions', { model, messages, tools, ...more }, { headers });
    const body = (await answer.json()) as { choices?: { message: Message }[] };
    const message = body.choices?.[0]?.message;
    if (!message) throw new Error(JSON.stringify(body));
    return message;
  };
  return { ...opened, vendors, ask };
}

/** Continues the conversation with the answer's calls and their results, without the state that the provider signed. */
function continued(messages: readonly Message[], { tool_calls: calls }: Message): Message[] {
  const bare = (calls as { id: string; function: object }[]).map(({ id, function: fn }) => ({
    id,
    type: 'function',
    function: fn,
  }));
  const results = bare.map(({ id }) => ({ role: 'tool', tool_call_id: id, content: 'warm' }));
  return [...messages, { role: 'assistant', content: null, tool_calls: bare }, ...results];
}

const begin: Message[] = [{ role: 'user', content: 'Where is it warm?' }];

type Ask = Awaited<ReturnType<typeof open>>['ask'];
/** Runs a tool loop to its end. Each request is sent by the next of these functions. */
async function loop(...asks: readonly [Ask, Ask, Ask]): Promise<unknown> {
  let messages = begin;
  for (const ask of asks.slice(0, 2)) messages = continued(messages, await ask(messages));
  return (await asks[2](messages)).content;
}

/** Whether the last upstream request contained thinking. */
const thinks = ({ vendors }: Awaited<ReturnType<typeof open>>) =>
  JSON.stringify(vendors.calls.at(-1)?.body.messages).includes('"thinking"');

test('reasoning is restored for the account that it was made for, and for no other', async () => {
  const bench = await open();
  const other = await bench.gateway.operator.createAccount({ name: 'Other', plan: 'enterprise' });
  await bench.gateway.operator.grant({ accountId: other.id, amount: parseUsd('10') });
  const { key } = await bench.gateway.operator.createKey({ accountId: other.id, scopes: allScopes });
  const second = continued(begin, await bench.ask(begin));
  await bench.ask(second, {}, key);
  expect(thinks(bench)).toBe(false);
  await bench.ask(second);
  expect(thinks(bench)).toBe(true);
});

test('reasoning is restored to the model that made it, and to no other', async () => {
  const bench = await open();
  const second = continued(begin, await bench.ask(begin));
  await bench.ask(second, { model: 'anthropic/claude-sonnet-5' });
  expect(thinks(bench)).toBe(false);
});

test('with a caller’s own key no reasoning is stored or restored', async () => {
  const bench = await open();
  const own = { byoapi_key: 'own-provider-key' };
  const second = continued(begin, await bench.ask(begin, own));
  await bench.ask(second);
  expect(thinks(bench)).toBe(false);
  const third = continued(begin, await bench.ask(begin));
  await bench.ask(third, own);
  expect(thinks(bench)).toBe(false);
});

test('reasoning is deleted after an hour', async () => {
  const bench = await open();
  const second = continued(begin, await bench.ask(begin));
  bench.pass(usualKeptMs - 1_000);
  await bench.ask(second);
  expect(thinks(bench)).toBe(true);
  bench.pass(1_000);
  await bench.ask(second);
  expect(thinks(bench)).toBe(false);
});

test('reasoning is restored in a long conversation that a worker thread reads and writes', async () => {
  const bench = await open();
  const long: Message[] = [{ role: 'user', content: 'word '.repeat(60_000) }];
  const second = continued(long, await bench.ask(long));
  await bench.ask(second);
  expect(thinks(bench)).toBe(true);
});

test('reasoning is restored after a restart and by another instance on the same database', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'portico-reasoning-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const database = await sharedDatabase(directory);
  const first = await open({ database });
  const ask: Ask = (messages, more) => first.ask(messages, more);
  if (!onPostgres()) {
    const second = continued(begin, await ask(begin));
    await first.gateway.close();
    const next = await open({ database });
    await next.ask(second, {}, first.key);
    expect(thinks(next)).toBe(true);
    return;
  }
  const [two, three] = [await open({ database }), await open({ database })];
  const answer = await loop(
    ask,
    (messages, more) => two.ask(messages, more, first.key),
    (messages, more) => three.ask(messages, more, first.key),
  );
  expect(answer).toBe(thoughtThrough);
});

test('a database that cannot be read loses the reasoning, and not the answer', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'portico-reasoning-'));
  onTestFinished(() => rmSync(directory, { recursive: true }));
  const database = await sharedDatabase(directory);
  const bench = await open({ database });
  const second = continued(begin, await bench.ask(begin));
  const { db } = await openDatabase(database);
  await db
    .updateTable('kept_reasoning')
    .set({ state: Buffer.from('not what was sealed') })
    .execute();
  await db.destroy();
  await bench.ask(second);
  expect(thinks(bench)).toBe(false);
  expect(bench.entries).toContainEqual(expect.objectContaining({ event: 'reasoning_not_recalled' }));
});

describe('stored reasoning', () => {
  async function openStore(more: { keptMs?: number } = {}) {
    const gatewayDb = await openDatabase(await testDatabase());
    onTestFinished(() => gatewayDb.db.destroy());
    let time = 1_000_000;
    const sealing = createSealing([Buffer.alloc(32, 7)]);
    const now = () => time;
    const kept = createReasoningState({ db: gatewayDb.db, transact: createTransact(gatewayDb), sealing, now, ...more });
    const pass = (ms: number) => {
      time += ms;
    };
    return { kept, pass, rows: () => gatewayDb.db.selectFrom('kept_reasoning').selectAll().execute() };
  }
  const owner = { accountId: 'acct_1', model };
  const randomId = (index: number) => `toolu_01A${String(index).padStart(8, '0')}`;
  const state = { anthropic: { thinking: [{ type: 'thinking', thinking: 'a private thought' }] } };

  test('is encrypted, and its names reveal nothing', async () => {
    const { kept, rows } = await openStore();
    await kept.keep(owner, [{ id: randomId(1), state }]);
    const [row] = await rows();
    expect(Buffer.from(row?.state ?? '').toString('latin1')).not.toContain('private');
    expect(row?.id).not.toContain(randomId(1));
    expect(await kept.recall(owner, [randomId(1), randomId(2)])).toEqual(new Map([[randomId(1), state]]));
  });

  test('is one row for each call, and a repeated call replaces it', async () => {
    const { kept, rows } = await openStore();
    await kept.keep(owner, [{ id: randomId(1), state: {} }]);
    await kept.keep(owner, [{ id: randomId(1), state }]);
    expect(await rows()).toHaveLength(1);
    expect(await kept.recall(owner, [randomId(1)])).toEqual(new Map([[randomId(1), state]]));
  });

  test.each([
    ['calls whose ids a server numbers', 'call_0', {}],
    ['calls whose ids have the name of a function', 'functions.get_weather:0', {}],
    ['more state than one answer may have', randomId(1), { text: 'x'.repeat(maxState) }],
  ])('does not include %s', async (_what, id, own) => {
    const { kept, rows } = await openStore();
    await kept.keep(owner, [{ id, state: own }]);
    expect(await rows()).toEqual([]);
  });

  test('does not exist when the operator turned it off', async () => {
    const { kept, rows } = await openStore({ keptMs: 0 });
    await kept.keep(owner, [{ id: randomId(1), state }]);
    expect(await rows()).toEqual([]);
  });

  test('is limited to the newest of each account, and is deleted when it is too old', async () => {
    const { kept, pass, rows } = await openStore();
    await kept.keep({ ...owner, accountId: 'acct_2' }, [{ id: randomId(0), state: {} }]);
    for (let index = 0; index < maxKept + 3; index += 100) {
      pass(1);
      const calls = Array.from({ length: 100 }, (_, offset) => ({ id: randomId(index + offset), state: {} }));
      await kept.keep(owner, calls);
    }
    await kept.forgetOld();
    const left = await rows();
    expect(left.filter(({ account_id: account }) => account === 'acct_1').length).toBeLessThanOrEqual(maxKept);
    expect((await kept.recall(owner, [randomId(0), randomId(maxKept + 2)])).size).toBe(1);
    expect(left.filter(({ account_id: account }) => account === 'acct_2')).toHaveLength(1);
    pass(usualKeptMs);
    await kept.forgetOld();
    expect(await rows()).toEqual([]);
  });
});
