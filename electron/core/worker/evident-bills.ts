import type { Price } from '#shared/price.ts';

/** One price for every token of a kind, as far as a prompt is no longer than `upTo`. Pico-USD per token. */
interface FlatPrice {
  readonly price: string;
  readonly prompt: string;
  readonly cached: string;
  readonly completion: string;
  readonly upTo: number;
}

/** Prices by their texts as the condition takes them, in JSON; those that are more than a rate for each kind are left out. */
export function flatPrices(prices: Iterable<readonly [text: string, price: Price | null]>): string {
  const flat: FlatPrice[] = [];
  for (const [text, price] of prices) {
    if (price?.request !== 0n || price.reasoning != null) continue;
    flat.push({
      price: text,
      prompt: `${price.prompt}`,
      cached: `${price.cacheRead ?? price.prompt}`,
      completion: `${price.completion}`,
      upTo: price.tiers[0]?.minPromptTokens ?? Number.MAX_SAFE_INTEGER,
    });
  }
  return JSON.stringify(flat);
}

export const flatTable = `flat as materialized (
  select value ->> 'price' as price, cast(value ->> 'prompt' as integer) as prompt,
    cast(value ->> 'cached' as integer) as cached, cast(value ->> 'completion' as integer) as completion,
    value ->> 'upTo' as up_to
  from json_each(:flat))`;

const pico = `(max(0, r.prompt_tokens - r.cached_tokens) * flat.prompt + r.cached_tokens * flat.cached
  + r.completion_tokens * flat.completion)`;

/**
 * Whether a request, `r`, is billed within half a percent of what its price, joined as `flat`, comes to: so that it need not be
 * priced exactly to say that it is within one. Nearly all are, and the database sees that in its own loop.
 */
export const isEvident = `(flat.price is not null and r.prompt_tokens <= flat.up_to
  and r.cache_write_tokens = 0 and r.audio_tokens = 0 and r.web_searches = 0 and r.image_tokens = 0
  and (case when r.byok = 1 then r.upstream_cost else r.charge end) * 1000
    between ${pico} - ${pico} / 200 and ${pico} + ${pico} / 200)`;
