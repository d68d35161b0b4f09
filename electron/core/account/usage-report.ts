import type { ReportedBucket, ReportedUsage } from '#shared/client/reported.ts';
import type { UsageReport } from '#shared/contract/app/wallets.ts';
import { parseUsd } from '#shared/money.ts';
import { bookedModelName, type DescribeModel } from '../connection/model-facts.ts';

type KeyName = (keyId: string) => string | null;

/** Usage as it is shown: the highest cost first, days in order, with the name of its model or key and each bucket’s share. */
export function usageReport(
  usage: ReportedUsage,
  modelFacts: DescribeModel,
  keyName: KeyName = () => null,
): UsageReport {
  const total = usage.totals.cost_usd;
  const data = usage.data.map((bucket) => ({
    ...bucket,
    name: nameOf(bucket, modelFacts, keyName),
    share: shareOf(bucket.cost_usd, total),
    tokens: tokensOf(bucket),
  }));
  if (usage.group_by !== 'day') data.sort((a, b) => (b.share ?? -1) - (a.share ?? -1));
  return { ...usage, data };
}

function nameOf({ provider, model, key }: ReportedBucket, modelFacts: DescribeModel, keyName: KeyName): string | null {
  if (model !== null) return bookedModelName(modelFacts, provider, model);
  return key && (keyName(key) ?? key);
}

/** With integers, since a float would round the amounts first. Null: one of them is not known. */
function shareOf(cost: string | null, total: string | null): number | null {
  if (cost === null || total === null) return null;
  const whole = parseUsd(total);
  return whole === 0n ? 0 : Number((parseUsd(cost) * 1_000_000_000n) / whole) / 1_000_000_000;
}

/** Counts that a gateway does not tell are no bar. */
const tokensOf = ({ prompt_tokens, cached_tokens, completion_tokens, reasoning_tokens }: ReportedBucket) => ({
  input: Math.max(0, (prompt_tokens ?? 0) - (cached_tokens ?? 0)),
  cached: cached_tokens ?? 0,
  output: Math.max(0, (completion_tokens ?? 0) - (reasoning_tokens ?? 0)),
  reasoning: reasoning_tokens ?? 0,
});
