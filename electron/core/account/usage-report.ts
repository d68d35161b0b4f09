import type { UsageReport } from '#shared/contract/app/wallets.ts';
import { parseUsd } from '#shared/money.ts';
import type { Usage, UsageBucket } from '#shared/wire/usage.ts';
import type { DescribeModel } from '../connection/model-facts.ts';

/** Usage as it is shown: the highest cost first, days in order, with each model’s name and each bucket’s share. */
export function usageReport(usage: Usage, modelFacts: DescribeModel): UsageReport {
  const total = parseUsd(usage.totals.cost_usd);
  const data = usage.data.map((bucket) => ({
    ...bucket,
    name: bucket.model && (modelFacts(`${bucket.provider}/${bucket.model}`)?.name ?? bucket.model),
    share: shareOf(parseUsd(bucket.cost_usd), total),
    tokens: tokensOf(bucket),
  }));
  if (usage.group_by !== 'day') data.sort((a, b) => b.share - a.share);
  return { ...usage, data };
}

/** With integers, since a float would round the amounts first. */
const shareOf = (cost: bigint, total: bigint): number =>
  total === 0n ? 0 : Number((cost * 1_000_000_000n) / total) / 1_000_000_000;

const tokensOf = ({ prompt_tokens, cached_tokens, completion_tokens, reasoning_tokens }: UsageBucket) => ({
  input: Math.max(0, prompt_tokens - cached_tokens),
  cached: cached_tokens,
  output: Math.max(0, completion_tokens - reasoning_tokens),
  reasoning: reasoning_tokens,
});
