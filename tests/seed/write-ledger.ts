import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { ulid } from 'ulid';
import { parseUsd } from '#shared/money.ts';
import { priceToJson } from '../../gateway/models/prices/price-json.ts';
import { openDatabase } from '../../gateway/storage/open-database.ts';
import type { Random } from './random.ts';
import type { SeedRequest } from './world.ts';

interface BillingAccount {
  readonly id: string;
  readonly name: string;
  readonly plan: string;
  readonly grant: bigint;
}

const getDay = (timeMs: number) => new Date(timeMs).toISOString().slice(0, 10);

/**
 * Writes requests, ledger entries, daily counters and balances to `gateway.db`, as the gateway
 * would have done one by one.
 */
export async function writeLedger(folder: string, requests: readonly SeedRequest[], random: Random, nowMs: number) {
  const path = join(folder, 'gateway.db');
  await (await openDatabase(path)).db.destroy();
  const db = new Sqlite(path);
  db.pragma('synchronous = OFF');
  const sorted = requests.toSorted((a, b) => a.created - b.created);
  const first = sorted[0]?.created ?? nowMs;
  db.exec('begin');
  for (const billingAccount of billingAccounts(first, random)) {
    const own = sorted.filter(({ model }) => model.simulated === (billingAccount.plan === 'sandbox'));
    writeBillingAccount(db, billingAccount, own, { random, first, nowMs });
  }
  db.exec('commit');
  db.pragma('wal_checkpoint(truncate)');
  db.close();
}

/** The two accounts that the app looks for, by name and plan. */
const billingAccounts = (first: number, random: Random): BillingAccount[] => [
  { id: `acct_${ulid(first, random.next)}`, name: 'Your keys', plan: 'local', grant: 0n },
  { id: `acct_${ulid(first, random.next)}`, name: 'Sandbox', plan: 'sandbox', grant: parseUsd('10') },
];

interface Times {
  readonly random: Random;
  readonly first: number;
  readonly nowMs: number;
}

const getCharge = (requests: readonly SeedRequest[]): bigint => requests.reduce((sum, { charge }) => sum + charge, 0n);

function writeBillingAccount(
  db: Sqlite.Database,
  billingAccount: BillingAccount,
  requests: readonly SeedRequest[],
  times: Times,
): void {
  const { random, first, nowMs } = times;
  const today = getDay(nowMs);
  const used = getCharge(requests);
  // If the opening credits don't cover the spend, more credits are granted on the same day.
  const additional = billingAccount.grant > 0n && used > billingAccount.grant ? used : 0n;
  const granted = billingAccount.grant + additional;
  const ofToday = requests.filter(({ created }) => getDay(created) === today);
  const ofMonth = requests.filter(({ created }) => getDay(created).startsWith(today.slice(0, 7)));
  db.prepare(`insert into accounts (id, name, plan, status, balance, granted, used, created, day, day_requests, day_used,
    month, month_used) values (?, ?, ?, 'active', ?, ?, ?, ?, ?, ?, ?, ?, ?)`).run(
    ...[billingAccount.id, billingAccount.name, billingAccount.plan, granted - used, granted, used, first],
    ...[today, ofToday.length, getCharge(ofToday), today.slice(0, 7), getCharge(ofMonth)],
  );
  const entry =
    db.prepare(`insert into ledger_entries (id, account_id, type, amount, balance_after, created, description,
    request_id, provider, model, estimated, idempotency_id) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, ?)`);
  let balance = 0n;
  const grants = [
    { amount: billingAccount.grant, description: 'Opening test credits', once: `opening_${billingAccount.id}` },
    { amount: additional, description: 'More test credits', once: null },
  ];
  for (const { amount, description, once } of grants.filter((grant) => grant.amount > 0n)) {
    balance += amount;
    const id = `txn_${ulid(first, random.next)}`;
    entry.run(id, billingAccount.id, 'grant', amount, balance, first, description, null, null, null, once);
  }
  const add =
    db.prepare(`insert into requests (id, account_id, key_id, instance_id, created, day, ended, status, error_code,
    provider, model, purpose, conversation_id, metadata, byok, hold, lease_until, charge, upstream_cost, prompt_tokens,
    completion_tokens, cached_tokens, cache_write_tokens, reasoning_tokens, first_token_ms, total_ms, price)
    values (?, ?, null, 'inst_seed', ?, ?, ?, ?, ?, ?, ?, ?, ?, '{}', 0, 0, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`);
  const count = db.prepare(`insert into usage_daily (account_id, day, provider, model, key_id, status, byok, requests,
    prompt_tokens, completion_tokens, cached_tokens, reasoning_tokens, charge, upstream_cost)
    values (?, ?, ?, ?, '', ?, 0, 1, ?, ?, ?, ?, ?, ?) on conflict do update set requests = requests + 1,
    prompt_tokens = prompt_tokens + excluded.prompt_tokens,
    completion_tokens = completion_tokens + excluded.completion_tokens,
    cached_tokens = cached_tokens + excluded.cached_tokens,
    reasoning_tokens = reasoning_tokens + excluded.reasoning_tokens,
    charge = charge + excluded.charge, upstream_cost = upstream_cost + excluded.upstream_cost`);
  for (const { id, model, usage, charge, created, ended, status, ...request } of requests) {
    const { provider } = model;
    const day = getDay(created);
    const tokens = [usage.promptTokens, usage.completionTokens, usage.cachedTokens];
    add.run(
      ...[
        id,
        billingAccount.id,
        created,
        day,
        ended,
        status,
        status === 'failed' ? 'upstream_overloaded' : null,
        provider,
      ],
      ...[model.model, request.conversationId ? 'chat' : null, request.conversationId, ended, charge, charge],
      ...[...tokens, usage.cacheWriteTokens, usage.reasoningTokens, request.firstTokenMs, ended - created],
      model.price && JSON.stringify(priceToJson(model.price)),
    );
    count.run(billingAccount.id, day, provider, model.model, status, ...tokens, usage.reasoningTokens, charge, charge);
    if (charge === 0n) continue;
    balance -= charge;
    const details = [model.id, id, provider, model.model, null];
    entry.run(`txn_${ulid(ended, random.next)}`, billingAccount.id, 'usage', -charge, balance, ended, ...details);
  }
}
