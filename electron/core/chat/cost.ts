import type { CostSource, Message } from '#shared/contract/conversations.ts';
import type { CompletionChunk } from '#shared/wire/chat-response.ts';
import type { RequestRecord } from '#shared/wire/request-record.ts';

interface Cost {
  readonly costUsd: string | null;
  readonly costSource: CostSource;
}

const unknown: Cost = { costUsd: null, costSource: 'unknown' };

/** What an answer cost, as its last chunk tells. A model without a price has no cost that anyone knows: not zero. */
export function costOfChunk(chunk: CompletionChunk, priced: boolean | undefined): Cost {
  if (!chunk.usage) return unknown;
  if (chunk.byok) return { costUsd: chunk.usage.upstream_cost_usd, costSource: 'byok' };
  if (priced === false) return unknown;
  return { costUsd: chunk.usage.cost_usd, costSource: 'billed' };
}

/** What an ended request cost, as the gateway's record tells (wire contract §10). A failed one is never charged (§1.4). */
export function costOfRecord(record: RequestRecord): Cost {
  if (record.byok) return { costUsd: record.upstream_cost_usd, costSource: 'byok' };
  const unpriced = record.price === null && record.status !== 'failed' && record.total_tokens > 0;
  return unpriced ? unknown : { costUsd: record.cost_usd, costSource: 'billed' };
}

export function usageOfChunk(usage: NonNullable<CompletionChunk['usage']>): NonNullable<Message['usage']> {
  return {
    promptTokens: usage.prompt_tokens,
    completionTokens: usage.completion_tokens,
    cachedTokens: usage.prompt_tokens_details.cached_tokens,
    reasoningTokens: usage.completion_tokens_details.reasoning_tokens,
  };
}

export function usageOfRecord(record: RequestRecord): Message['usage'] {
  if (record.total_tokens === 0) return null;
  return {
    promptTokens: record.prompt_tokens,
    completionTokens: record.completion_tokens,
    cachedTokens: record.cached_tokens,
    reasoningTokens: record.reasoning_tokens,
  };
}
