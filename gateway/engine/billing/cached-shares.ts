import type { TokenUsage } from '#shared/price.ts';

/** Which part of its last prompt each conversation had read from its provider's cache. */
export interface CachedShares {
  /** From 0 to 1. */
  recall(conversation: string, modelId: string): number;
  remember(conversation: string, modelId: string, usage: TokenUsage): void;
}

/** Providers keep a prompt for five to ten minutes as a rule. */
const keptMs = 600_000;
const maxEntries = 10_000;

/**
 * An answer that is left before its count is estimated by this: most of a long conversation costs a tenth, and only the count
 * would say so (docs/decisions/102).
 */
export function createCachedShares(now: () => number): CachedShares {
  const entries = new Map<string, { readonly modelId: string; readonly share: number; readonly until: number }>();
  return {
    recall(conversation, modelId) {
      const entry = entries.get(conversation);
      return entry && entry.modelId === modelId && entry.until > now() ? entry.share : 0;
    },
    remember(conversation, modelId, { promptTokens, cachedTokens }) {
      entries.delete(conversation);
      if (promptTokens === 0 || cachedTokens === 0) return;
      entries.set(conversation, { modelId, share: Math.min(1, cachedTokens / promptTokens), until: now() + keptMs });
      const [oldest] = entries.keys();
      if (entries.size > maxEntries && oldest !== undefined) entries.delete(oldest);
    },
  };
}
