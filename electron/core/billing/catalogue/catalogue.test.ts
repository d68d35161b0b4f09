import { join } from 'node:path';
import Sqlite, { type Database } from 'better-sqlite3';
import { expect, onTestFinished, test } from 'vitest';
import { coreWithGateway } from '../../../../tests/support/core-with-gateway.ts';

const day = 86_400_000;
const end = Date.now();
const start = end - 30 * day;

async function core() {
  const opened = await coreWithGateway();
  onTestFinished(() => opened.close());
  const { id } = await opened.client.account.get({ billingAccount: 'main' });
  const ledger = new Sqlite(join(opened.dataFolder, 'gateway.db'));
  onTestFinished(() => void ledger.close());
  return { ...opened, account: id ?? '', ledger };
}

interface Made {
  readonly id: string;
  readonly prompt?: number;
  readonly completion?: number;
  readonly cached?: number;
  readonly charge?: number;
  readonly created?: number;
}

/** Writes completed requests into the ledger, as if another program had made them. */
function addRequests(ledger: Database, account: string, requests: readonly Made[]): void {
  const insert = ledger.prepare(`
    insert into requests (id, account_id, instance_id, created, day, ended, status, provider, model, metadata, byok, hold,
      lease_until, prompt_tokens, completion_tokens, cached_tokens, charge, upstream_cost, total_ms, first_token_ms)
    values (?, ?, 'test', ?, ?, ?, 'succeeded', 'openai', 'gpt-5.4', '{}', 0, 0, 0, ?, ?, ?, ?, 0, 3000, 1000)`);
  const count = ledger.prepare(`
    insert into usage_daily (account_id, day, provider, model, key_id, status, byok, requests, prompt_tokens,
      completion_tokens, cached_tokens, reasoning_tokens, charge, upstream_cost)
    values (?, ?, 'openai', 'gpt-5.4', '', 'succeeded', 0, 1, ?, ?, ?, 0, ?, 0)
    on conflict do update set requests = requests + 1, charge = charge + excluded.charge`);
  ledger.transaction(() => {
    for (const {
      id,
      prompt = 1000,
      completion = 200,
      cached = 0,
      charge = 5_000_000,
      created = start + day,
    } of requests) {
      const date = new Date(created).toISOString().slice(0, 10);
      insert.run(id, account, created, date, created, prompt, completion, cached, charge);
      count.run(account, date, prompt, completion, cached, charge);
    }
  })();
}

test('without a key, every provider’s models are listed once with their prices, and outdated prices are marked', async () => {
  const { client } = await core();
  const { models, allPrices, problem } = await client.catalogue.list();
  expect([allPrices, problem]).toEqual([true, null]);
  expect(new Set(models.map(({ id }) => id)).size).toBe(models.length);
  const open = models.filter(({ provider }) => provider === 'openrouter');
  expect(open.length).toBeGreaterThan(300);
  expect(open.every(({ status, pricing }) => status === 'no_credential' && pricing !== null)).toBe(true);
  const { models: listed } = await client.models.list();
  expect(listed.some(({ provider }) => provider === 'openrouter')).toBe(false);
  const age = (id: string) => models.find((model) => model.id === id);
  const published = Date.parse(`${age('openai/gpt-5.4')?.pricing?.as_of}T00:00:00Z`);
  const days = Math.floor((Date.now() - published) / day);
  expect(age('openai/gpt-5.4')?.staleDays).toBe(days > 30 ? days : null);
  expect(age('sandbox/tour')?.staleDays).toBe(null);
});

test('a model’s price history lists its price changes', async () => {
  const { client } = await core();
  const rows = await client.catalogue.history({ model: 'google/gemini-3.6-flash' });
  expect(rows.map(({ from }) => from)).toEqual([null, '2027-01-01']);
});

test('the use of a model shows its cost and the speed of its latest answers', async () => {
  const { client, ledger, account } = await core();
  addRequests(ledger, account, [{ id: 'req_a' }, { id: 'req_b', completion: 400 }, { id: 'req_c', completion: 100 }]);
  expect(await client.whatIf.use({ model: 'openai/gpt-5.4' })).toMatchObject({
    requests: 3,
    costUsd: '0.015',
    measured: 3,
    firstTokenMs: 1000,
    tokensPerSecond: 100,
  });
});

test('repricing a period on another model matches an SQL query, with separate rates for cache reads and long prompts', async () => {
  const { client, ledger, account } = await core();
  const requests = Array.from({ length: 400 }, (_, index): Made => {
    const prompt = (index * 7919) % 400_000;
    return {
      id: `req_${index}`,
      prompt,
      cached: (index * 31) % (prompt + 1),
      completion: (index * 104_729) % 3000,
      charge: index * 1_000_003,
    };
  });
  addRequests(ledger, account, [
    ...requests,
    { id: 'req_before', created: start - 1 },
    { id: 'req_after', created: end },
  ]);
  const model = (await client.catalogue.list()).models.find(({ id }) => id === 'openai/gpt-5.6-luna');
  if (!model?.pricing) throw new Error('the book has lost a model that this test is about');
  const { pricing, context_length: context } = model;
  const pico = (price: string | null) => {
    const [whole = '0', fraction = ''] = (price ?? '0').split('.');
    return BigInt(`${whole}${fraction.padEnd(12, '0')}`);
  };
  const [tier] = pricing.tiers;
  if (!tier) throw new Error('it has one price for prompts of every length');
  const rate = (name: 'prompt' | 'completion' | 'input_cache_read') =>
    `(case when prompt_tokens > ${tier.min_prompt_tokens} then ${pico(tier[name])} else ${pico(pricing[name])} end)`;
  const sql = ledger
    .prepare(
      `select count(*) as requests, sum(charge) as actual, sum(((prompt_tokens - cached_tokens) * ${rate('prompt')}
        + cached_tokens * ${rate('input_cache_read')} + completion_tokens * ${rate('completion')} + 999) / 1000) as cost
      from requests where created >= ? and created < ? and prompt_tokens + completion_tokens between 1 and ?`,
    )
    .safeIntegers()
    .get(start, end, context) as { requests: bigint; actual: bigint; cost: bigint };
  const result = await client.whatIf.reprice({ billingAccount: 'main', start, end, models: [model.id] });
  const nano = (usd: string | undefined) => BigInt(Math.round(Number(usd) * 1e9));
  const [repriced] = result.models;
  expect(result.requests).toBe(399);
  expect([repriced?.requests, nano(repriced?.costUsd), nano(repriced?.actualUsd)]).toEqual([
    Number(sql.requests),
    sql.cost,
    sql.actual,
  ]);
  expect(nano(repriced?.moreUsd)).toBe(sql.cost - sql.actual);
});

test('requests that exceed the context or need a missing ability are counted separately', async () => {
  const { client, ledger, account, dataFolder } = await core();
  const { models } = await client.catalogue.list();
  const small = models.find(
    ({ context_length: context, capabilities, pricing }) =>
      context !== null && context < 20_000 && pricing && !capabilities.includes('vision'),
  );
  if (!small?.context_length) throw new Error('the book has no small model any more');
  addRequests(ledger, account, [
    { id: 'req_fits', charge: 1000 },
    { id: 'req_long', prompt: small.context_length, charge: 20 },
    { id: 'req_seen', charge: 300 },
  ]);
  const chats = new Sqlite(join(dataFolder, 'portico.db'));
  chats.exec(`
    insert into conversations (id, title, model, created_at, updated_at) values ('c', 'Seen', 'router', 0, 0);
    insert into messages (id, conversation_id, role, text, status, attachments, tool_calls, created_at, seq)
      values ('q', 'c', 'user', '', 'done', '[{"id":"x","kind":"image"}]', '[]', ${start + day - 1}, 1);
    insert into messages (id, conversation_id, parent_id, role, text, status, tool_calls, request_id, created_at, seq)
      values ('a', 'c', 'q', 'assistant', '', 'done', '[]', 'req_seen', ${start + day}, 2);`);
  chats.close();
  const { models: repriced } = await client.whatIf.reprice({ billingAccount: 'main', start, end, models: [small.id] });
  expect(repriced).toMatchObject([
    {
      requests: 1,
      actualUsd: '0.000001',
      tooLong: { requests: 1, costUsd: '0.00000002' },
      unable: { requests: 1, costUsd: '0.0000003', lacks: ['vision'] },
    },
  ]);
});

test('repricing is refused for a model that is gone or has no price', async () => {
  const { client } = await core();
  await expect(
    client.whatIf.reprice({ billingAccount: 'main', start, end, models: ['nobody/gone'] }),
  ).rejects.toMatchObject({
    code: 'not_found',
  });
  await expect(client.whatIf.reprice({ billingAccount: 'main', start, end, models: ['router'] })).rejects.toMatchObject(
    {
      code: 'invalid_input',
    },
  );
});
