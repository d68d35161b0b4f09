import type { Ledger, LedgerLine } from '#shared/contract/app/billing-accounts.ts';
import type { UsageGrouping, UsageInsights, UsageLine, UsagePeriod, UsageReport } from '#shared/contract/app/usage.ts';
import type { BillingAccount } from '#shared/contract/common/fields.ts';
import { daysBetween } from '#shared/days.ts';
import { formatUsd, nanoUsd, parseUsd } from '#shared/money.ts';
import type { UsageBucket } from '#shared/wire/usage.ts';
import { foldByDay } from '../../electron/core/billing/account/read-usage-report.ts';
import { getSums, shownSums, sumAll } from '../../electron/core/billing/account/usage-sums.ts';
import type { FakeData } from './fake-data.ts';

const models = ['claude-opus-5', 'gpt-5.5', 'gemini-3.5-pro', 'claude-haiku-5', 'gpt-5.5-mini', 'llama-5.2'];
const providers = ['anthropic', 'openai', 'google', 'anthropic', 'openai', 'openai-compatible'];

/** Pages through a ledger whose entries add up to the billing account's balance. */
export function fakeCredits(
  data: FakeData,
  billingAccount: BillingAccount,
  limit: number,
  after: string | null,
): Ledger {
  const balance = data.billingAccounts.find((entry) => entry.id === billingAccount)?.balance;
  if (!balance) throw new Error('no such wallet');
  const lines: LedgerLine[] = [];
  let sum = parseUsd(balance.amount);
  for (let index = 0; index < data.ledgerLines; index++) {
    const grant = index === data.ledgerLines - 1;
    const amount = grant ? sum : nanoUsd(-1_695_00n - BigInt(index) * 1_500n);
    lines.push({
      id: `txn_${index}`,
      object: 'credit_transaction',
      type: grant ? 'grant' : 'usage',
      amount: formatUsd(amount),
      balance_after: formatUsd(sum),
      currency: 'USD',
      created: Math.floor(Date.now() / 1000) - index * 5400,
      description: grant ? 'Test credits to start with' : 'sandbox/tour',
      request_id: grant ? null : `req_${index}`,
      provider: grant ? null : 'sandbox',
      model: grant ? null : 'tour',
      estimated: index % 17 === 3,
      name: grant ? null : 'Sandbox Tour',
      use:
        grant || index % 5 === 4
          ? null
          : {
              conversationId: 'c1',
              title: 'Moving to Postgres 18',
              messageId: null,
              purpose: index % 7 === 2 ? 'compact' : 'chat',
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

const none = { object: 'usage.bucket' as const, provider: null, model: null, day: null, key: null, status: null };

/** Makes a usage report whose groups and days add up to its totals, whatever it is grouped by. */
export function fakeUsage(data: FakeData, groupBy: UsageGrouping, { first, last, zone }: UsagePeriod): UsageReport {
  const days = daysBetween(first, last);
  const used = data.ledgerLines > 0;
  const getBuckets = (requests: number) =>
    days.flatMap((day, index) =>
      models.map((model, place): UsageBucket => {
        const asked = Math.max(1, requests - place * 3 + ((index * 7) % 5));
        const nano = BigInt((index % 7 > 4 ? 8 : 30) + ((index * 53) % 17)) * BigInt(7 - place) * 1_000_345n;
        const unknown = place === 0 ? data.unknownCosts : 0;
        const known = { ...none, ...counters(asked, nano), day, model, provider: providers[place] ?? null };
        return { ...known, unknown_cost_requests: unknown };
      }),
    );
  const getGroup = ({ model, provider }: { model: string | null; provider: string | null }) =>
    groupBy === 'model' || groupBy === 'provider'
      ? ({ kind: 'named', id: groupBy === 'model' ? model : provider, provider, name: null } as const)
      : ({ kind: 'elsewhere', id: null, provider: null, name: null } as const);
  const before = used ? getBuckets(15).map((bucket) => getSums(bucket, '')) : [];
  return {
    groupBy,
    days,
    zone,
    ofPeriod: true,
    ownPeriod: null,
    ...foldByDay(used ? getBuckets(18) : [], getGroup, days, ''),
    before: shownSums(sumAll(before)),
    perDayBefore: null,
  };
}

export const fakeInsights = (data: FakeData): UsageInsights => ({
  forecast: {
    month: '2026-11',
    so_far_usd: '8.1',
    estimate: { total_usd: '12.3', mean_usd: '0.6', mean_days: 28, days_left: 7 },
  },
  failures:
    data.ledgerLines > 0
      ? [{ code: 'upstream_overloaded', requests: 3, cost_usd: '0', unknown: Math.min(1, data.unknownCosts) }]
      : [],
  cache_savings_usd: '1.23',
});

export const fakeLines = (data: FakeData): UsageLine[] =>
  fakeCredits(data, 'sandbox', 30, null).transactions.data.flatMap((line) =>
    line.request_id === null
      ? []
      : {
          id: line.request_id,
          created: line.created ?? 0,
          status: 'succeeded',
          error_code: null,
          provider: line.provider,
          model: line.model,
          name: line.name,
          key: null,
          purpose: 'chat',
          prompt_tokens: 1900,
          cached_tokens: 400,
          cache_write_tokens: 0,
          completion_tokens: 310,
          reasoning_tokens: 40,
          cost_usd: line.amount.replace('-', ''),
          provenance: 'billed',
          use: line.use,
        },
  );
