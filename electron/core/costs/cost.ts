import { estimateInputTokens, estimateTextTokens } from '#gateway/content/estimate-tokens.ts';
import { billLines, priceOf } from '#shared/bill-lines.ts';
import type { ReportedChunk } from '#shared/client/reported.ts';
import type { CostSource, Message } from '#shared/contract/chat/conversations.ts';
import type { Bill } from '#shared/contract/common/bills.ts';
import { formatUsd, parseUsd } from '#shared/money.ts';
import { costOf, noTokens, type Price } from '#shared/price.ts';
import { pricing } from '#shared/wire/model.ts';
import type { RequestRecord } from '#shared/wire/request-record.ts';
import type { ModelFacts } from '../connection/model-facts.ts';
import { wordsWithCalls } from '../request/call-messages.ts';

interface Cost {
  readonly costUsd: string | null;
  readonly costSource: CostSource;
}

const unknown: Cost = { costUsd: null, costSource: 'unknown' };

/**
 * The cost in an answer’s last chunk. Of a model without a price the cost is unknown, not zero; where a gateway counts tokens
 * and tells no cost, it is the list price of those tokens, an estimate.
 */
export function costOfChunk({ usage, byok }: Pick<ReportedChunk, 'usage' | 'byok'>, facts: ModelFacts | null): Cost {
  if (!usage) return unknown;
  if (byok)
    return { costUsd: usage.upstream_cost_usd, costSource: usage.upstream_cost_usd === null ? 'unknown' : 'byok' };
  if (usage.cost_usd === null) return facts?.record.pricing ? listPriceOf(facts.record.pricing, usage) : unknown;
  // What another gateway says that it took is known, whether or not it lists a price.
  if (facts?.priced === false && facts.record.other !== true) return unknown;
  return { costUsd: usage.cost_usd, costSource: 'billed' };
}

function listPriceOf(price: Parameters<typeof priceOf>[0], usage: NonNullable<ReportedChunk['usage']>): Cost {
  const { promptTokens, completionTokens, cachedTokens, reasoningTokens } = usageOfChunk(usage);
  const counted = { ...noTokens, promptTokens, completionTokens, cachedTokens, reasoningTokens };
  return { costUsd: formatUsd(costOf(priceOf(price), counted)), costSource: 'estimated' };
}

/** The cost in the gateway’s record of an ended request (wire contract §10). A failed one is never charged (§1.4). */
export function costOfRecord(record: RequestRecord): Cost {
  if (record.byok) return { costUsd: record.upstream_cost_usd, costSource: 'byok' };
  const unpriced = record.price === null && record.status !== 'failed' && record.total_tokens > 0;
  return unpriced ? unknown : { costUsd: record.cost_usd, costSource: 'billed' };
}

export function usageOfChunk(usage: NonNullable<ReportedChunk['usage']>): NonNullable<Message['usage']> {
  return {
    promptTokens: usage.prompt_tokens,
    completionTokens: usage.completion_tokens,
    cachedTokens: usage.prompt_tokens_details.cached_tokens,
    reasoningTokens: usage.completion_tokens_details.reasoning_tokens,
    ...imagesIn(usage.completion_tokens_details.image_tokens),
  };
}

const imagesIn = (tokens: number | undefined) => (tokens ? { imageTokens: tokens } : {});

export function usageOfRecord(record: RequestRecord): Message['usage'] {
  if (record.total_tokens === 0) return null;
  return {
    promptTokens: record.prompt_tokens,
    completionTokens: record.completion_tokens,
    cachedTokens: record.cached_tokens,
    reasoningTokens: record.reasoning_tokens,
    ...imagesIn(record.image_tokens),
  };
}

const recordedPrice = pricing.pick({
  prompt: true,
  completion: true,
  input_cache_read: true,
  input_cache_write: true,
  input_cache_write_1h: true,
  reasoning: true,
  input_audio: true,
  image_output: true,
  request: true,
  web_search: true,
  tiers: true,
});

/** The charge in its parts, by the price that the gateway used; null if it names none. */
export function billOfRecord(record: RequestRecord): Bill | null {
  const { costUsd } = costOfRecord(record);
  const price = recordedPrice.safeParse(record.price);
  if (costUsd === null || !price.success) return null;
  return billLines(
    priceOf(price.data),
    {
      promptTokens: record.prompt_tokens,
      completionTokens: record.completion_tokens,
      cachedTokens: record.cached_tokens,
      cacheWriteTokens: record.cache_write_tokens,
      cacheWriteHourTokens: record.cache_write_1h_tokens ?? 0,
      reasoningTokens: record.reasoning_tokens,
      audioTokens: record.audio_tokens ?? 0,
      imageTokens: record.image_tokens ?? 0,
      searches: record.web_searches ?? 0,
    },
    parseUsd(costUsd),
  );
}

/** The estimated cost, by our own token count and the list price. */
export function estimatedCost(price: Price, question: readonly Message[], answer: string) {
  const messages = question.map((entry) => ({ role: entry.role, content: wordsWithCalls(entry) }));
  const tokens = question.reduce(
    (sum, { attachments }) => sum + attachments.reduce((all, file) => all + file.tokens, 0),
    0,
  );
  const usage = {
    ...noTokens,
    promptTokens: estimateInputTokens(messages, undefined) + tokens,
    completionTokens: estimateTextTokens(answer),
  };
  const cost = costOf(price, usage);
  return { costUsd: formatUsd(cost), costSource: 'estimated' as const, bill: billLines(price, usage, cost) };
}
