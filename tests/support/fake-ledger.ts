import type { Ledger, LedgerLine, UsageReport } from '#shared/contract/app/wallets.ts';
import type { Wallet } from '#shared/contract/common/fields.ts';
import { formatUsd, nanoUsd, parseUsd } from '#shared/money.ts';
import type { Usage, UsageBucket, UsageGroup } from '#shared/wire/usage.ts';
import { usageReport } from '../../electron/core/account/usage-report.ts';
import type { FakeData } from './fake-data.ts';

const models = ['claude-opus-5', 'gpt-5.5', 'gemini-3.5-pro', 'claude-haiku-5', 'gpt-5.5-mini', 'llama-5.2'];
const providers = ['anthropic', 'openai', 'google', 'anthropic', 'openai', 'openai-compatible'];

/** Pages through a ledger whose lines add up to the wallet's balance. */
export function fakeCredits(data: FakeData, wallet: Wallet, limit: number, after: string | null): Ledger {
  const balance = data.wallets.find((entry) => entry.id === wallet)?.balance;
  if (!balance) throw new Error('no such wallet');
  const lines: LedgerLine[] = [];
  let sum = parseUsd(balance.amount);
  for (let at = 0; at < data.ledgerLines; at++) {
    const grant = at === data.ledgerLines - 1;
    const amount = grant ? sum : nanoUsd(-1_695_00n - BigInt(at) * 1_500n);
    lines.push({
      id: `txn_${at}`,
      object: 'credit_transaction',
      type: grant ? 'grant' : 'usage',
      amount: formatUsd(amount),
      balance_after: formatUsd(sum),
      currency: 'USD',
      created: Math.floor(Date.now() / 1000) - at * 5400,
      description: grant ? 'Test credits to start with' : 'sandbox/tour',
      request_id: grant ? null : `req_${at}`,
      provider: grant ? null : 'sandbox',
      model: grant ? null : 'tour',
      estimated: at % 17 === 3,
      name: grant ? null : 'Sandbox Tour',
      use:
        grant || at % 5 === 4
          ? null
          : {
              conversationId: 'c1',
              title: 'Moving to Postgres 18',
              messageId: null,
              purpose: at % 7 === 2 ? 'compact' : 'chat',
            },
    });
    sum = nanoUsd(sum - amount);
  }
  const from = after === null ? 0 : lines.findIndex((line) => line.id === after) + 1;
  const page = lines.slice(from, from + limit);
  return {
    object: 'credits',
    currency: 'USD',
    balance: balance.amount,
    held: balance.held,
    available: balance.available,
    total_granted: balance.total_granted,
    total_used: balance.total_used,
    transactions: {
      object: 'list',
      data: page,
      first_id: page[0]?.id ?? null,
      last_id: page.at(-1)?.id ?? null,
      has_more: from + limit < lines.length,
    },
  };
}

const counters = (requests: number, nano: bigint) => ({
  requests,
  succeeded: requests,
  failed: 0,
  cancelled: 0,
  prompt_tokens: requests * 1900,
  cached_tokens: requests * 400,
  completion_tokens: requests * 310,
  reasoning_tokens: requests * 40,
  total_tokens: requests * 2210,
  cost_usd: formatUsd(nanoUsd(nano)),
  byok_requests: 0,
  byok_upstream_cost_usd: '0',
});

/** Usage whose buckets add up to its totals, for any grouping. */
export function fakeUsage(data: FakeData, groupBy: UsageGroup, start: number | null, end: number | null): UsageReport {
  const until = end ?? Date.now();
  const from = start ?? until - 30 * 86_400_000;
  const days = Math.max(1, Math.round((until - from) / 86_400_000));
  const used = data.ledgerLines > 0;
  const rows: { requests: number; nano: bigint }[] = [];
  const buckets: UsageBucket[] = [];
  const empty = { object: 'usage.bucket' as const, provider: null, model: null, day: null, key: null, status: null };
  const add = (requests: number, nano: bigint, change: Partial<UsageBucket>) => {
    rows.push({ requests, nano });
    buckets.push({ ...empty, ...counters(requests, nano), ...change });
  };
  if (used && groupBy === 'day') {
    for (let at = 0; at < days; at++) {
      const weekend = at % 7 > 4;
      add(weekend ? 5 : 20 + ((at * 7) % 11), BigInt((weekend ? 40 : 180) + ((at * 53) % 90)) * 1_000_345n, {
        day: new Date(from + at * 86_400_000).toISOString().slice(0, 10),
      });
    }
  } else if (used) {
    for (const [at, model] of models.entries())
      add(120 - at * 18, BigInt(7 - at) * 412_000_345n, { model, provider: providers[at] ?? null });
  }
  const requests = rows.reduce((sum, row) => sum + row.requests, 0);
  const nano = rows.reduce((sum, row) => sum + row.nano, 0n);
  const usage: Usage = {
    object: 'usage',
    period: { type: 'custom', start: Math.floor(from / 1000), end: Math.floor(until / 1000) },
    totals: counters(requests, nano),
    group_by: groupBy,
    data: buckets,
    has_more: false,
    first_id: null,
    last_id: null,
    limits: [],
  };
  return usageReport(usage, () => null);
}
