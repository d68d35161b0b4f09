import type { Bill, BillKind } from './contract/common/bills.ts';
import { formatUsd, type NanoUsd, nanoUsd, parseUsdPerToken } from './money.ts';
import { type CostLine, costLines, type Price, type Rates, ratesFor, type TokenUsage } from './price.ts';
import type { Model } from './wire/model.ts';

/** Whether the user entered the price: for their own server, or in place of the price book's. */
export const isEnteredPrice = (source: string | null): boolean => source === 'configuration' || source === 'override';

/** The number of web searches that were charged. */
export const searchesIn = (bill: Bill | null): number =>
  bill?.lines.find(({ kind }) => kind === 'web_search')?.tokens ?? 0;

interface Part {
  readonly kind: BillKind;
  readonly tokens: number | null;
  readonly pico: bigint;
}

/**
 * Splits a cost into its parts. Each part is priced to the pico-USD. The request is rounded only once (wire contract
 * §1.7): the remainder goes to the parts with the largest fractions, so the lines add up to `total` exactly. If the
 * gateway charged a different amount than its price implies, the difference becomes a line of its own, because the
 * total is never recomputed.
 */
export function billLines(price: Price, usage: TokenUsage, total: NanoUsd): Bill {
  const parts = costLines(price, usage).flatMap((line) =>
    splitOutput(line, usage, ratesFor(price, usage.promptTokens)),
  );
  const exact = parts.reduce((sum, part) => sum + part.pico, 0n);
  const rounded = (exact + 999n) / 1000n;
  const amounts = toWholeNanos(parts, rounded);
  const lines = parts.map(({ kind, tokens }, index) => ({
    kind,
    tokens,
    usd: formatUsd(nanoUsd(amounts[index] ?? 0n)),
  }));
  const other = total - rounded;
  return { lines: other === 0n ? lines : [...lines, { kind: 'other', tokens: null, usd: formatUsd(nanoUsd(other)) }] };
}

/** Reasoning tokens are part of the output and cost the same, unless they have their own price. */
function splitOutput(
  { kind, tokens, pico }: CostLine,
  { reasoningTokens }: TokenUsage,
  { reasoning: own }: Rates,
): Part[] {
  if (kind !== 'output' || own != null) return [{ kind, tokens: kind === 'request' ? null : tokens, pico }];
  const thought = Math.min(reasoningTokens, tokens);
  const perToken = pico / BigInt(tokens);
  const reasoning: Part = { kind: 'reasoning', tokens: thought, pico: perToken * BigInt(thought) };
  const output: Part = { kind, tokens: tokens - thought, pico: perToken * BigInt(tokens - thought) };
  return [reasoning, output].filter((part) => part.pico !== 0n);
}

/** Rounds each part down and gives the remainder to the parts with the largest fractions. */
function toWholeNanos(parts: readonly Part[], total: bigint): bigint[] {
  const amounts = parts.map(({ pico }) => pico / 1000n);
  let left = total - amounts.reduce((sum, amount) => sum + amount, 0n);
  const byRemainder = parts
    .map(({ pico }, at) => ({ at, remainder: pico % 1000n }))
    .sort((a, b) => Number(b.remainder - a.remainder) || a.at - b.at);
  for (const { at } of byRemainder) {
    if (left <= 0n) break;
    amounts[at] = (amounts[at] ?? 0n) + 1n;
    left -= 1n;
  }
  return amounts;
}

type Pricing = NonNullable<Model['pricing']>;
/** The rates in a price on the wire: those of a model, or of one of its tiers. */
export type WireRates = Pick<
  Pricing,
  | 'prompt'
  | 'completion'
  | 'input_cache_read'
  | 'input_cache_write'
  | 'input_cache_write_1h'
  | 'reasoning'
  | 'input_audio'
  | 'image_output'
>;

/** Parses a price from the wire (wire contract §2.1). */
export function parsePricing(pricing: Pick<Pricing, 'request' | 'web_search' | 'tiers'> & WireRates): Price {
  return {
    ...getRates(pricing),
    request: parseUsdPerToken(pricing.request),
    ...(pricing.web_search == null ? {} : { search: parseUsdPerToken(pricing.web_search) }),
    tiers: pricing.tiers.map((tier) => ({ ...getRates(tier), minPromptTokens: tier.min_prompt_tokens })),
  };
}

const getRates = (rates: WireRates): Rates => ({
  prompt: parseUsdPerToken(rates.prompt),
  completion: parseUsdPerToken(rates.completion),
  cacheRead: rates.input_cache_read === null ? null : parseUsdPerToken(rates.input_cache_read),
  cacheWrite: rates.input_cache_write === null ? null : parseUsdPerToken(rates.input_cache_write),
  cacheWriteHour: rates.input_cache_write_1h == null ? null : parseUsdPerToken(rates.input_cache_write_1h),
  reasoning: rates.reasoning == null ? null : parseUsdPerToken(rates.reasoning),
  inputAudio: rates.input_audio == null ? null : parseUsdPerToken(rates.input_audio),
  outputImage: rates.image_output == null ? null : parseUsdPerToken(rates.image_output),
});
