import type { UsageReport } from '#shared/contract/app/wallets.ts';
import { parseUsd } from '#shared/money.ts';
import type { Usage, UsageBucket } from '#shared/wire/usage.ts';
import { bookedModelName, type DescribeModel } from '../connection/model-facts.ts';

type KeyName = (keyId: string) => string | null;

/** Usage as it is shown: the highest cost first, days in order, with the name of its model or key and each bucket’s share. */
export function usageReport(usage: Usage, modelFacts: DescribeModel, keyName: KeyName = () => null): UsageReport {
  const total = parseUsd(usage.totals.cost_usd);
  const data = usage.data.map((bucket) => ({
    ...bucket,
    name: nameOf(bucket, modelFacts, keyName),
    share: shareOf(parseUsd(bucket.cost_usd), total),
    tokens: tokensOf(bucket),
  }));
  if (usage.group_by !== 'day') data.sort((a, b) => b.share - a.share);
  return { ...usage, data };
}

function nameOf({ provider, model, key }: UsageBucket, modelFacts: DescribeModel, keyName: KeyName): string | null {
  if (model !== null) return bookedModelName(modelFacts, provider, model);
  return key && (keyName(key) ?? key);
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
