import type { Routing } from '#shared/wire/chat-response.ts';
import { priceText } from '../prices/price-json.ts';
import type { ClosedRequest } from './books-changes.ts';

const texts = new WeakMap<Routing, string>();

/** A decision in JSON: spelled once, for the journal and for the row. */
export function routingText(routing: Routing): string {
  const text = texts.get(routing) ?? JSON.stringify(routing);
  texts.set(routing, text);
  return text;
}

/** What the end of a request writes into its row, each column by its name and always in this order. */
export function closedRow({ settlement: end, ended }: ClosedRequest) {
  const { usage } = end;
  return {
    status: end.status,
    error_code: end.errorCode,
    ended,
    charge: end.charge as bigint,
    upstream_cost: end.upstreamCost as bigint,
    estimated: end.estimated ? 1 : 0,
    provider: end.provider,
    model: end.model,
    prompt_tokens: usage.promptTokens,
    completion_tokens: usage.completionTokens,
    cached_tokens: usage.cachedTokens,
    cache_write_tokens: usage.cacheWriteTokens,
    reasoning_tokens: usage.reasoningTokens,
    audio_tokens: usage.audioTokens ?? 0,
    cache_write_1h_tokens: usage.cacheWriteHourTokens ?? 0,
    byok_fee_bps: end.byokFeeBps ?? 0,
    first_token_ms: end.firstTokenMs === null ? null : Math.round(end.firstTokenMs),
    total_ms: Math.round(end.totalMs),
    price: end.price && priceText(end.price),
    routing: end.routing && routingText(end.routing),
  };
}
