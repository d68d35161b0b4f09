import { priceOf } from '#shared/bill-lines.ts';
import type { Message } from '#shared/contract/chat/conversations.ts';
import { formatUsd, formatUsdPerToken, nanoUsd, parseUsdPerToken, picoUsd } from '#shared/money.ts';
import { costOf } from '#shared/price.ts';
import type { Model } from '#shared/wire/model.ts';
import { signedUsd, usd, usdPerMillion } from '../../text/format.ts';

type Pricing = NonNullable<Model['pricing']>;

export interface PriceDifference {
  /** `$3.00 / $15.00` per million tokens in and out; empty where no price is known. */
  readonly price: string;
  /** `+$1.00 / −$5.00` against the model that answered; empty where either is not known, or nothing differs. */
  readonly difference: string;
  /** What the other model would have cost for the same tokens, and the difference; null if unknown. */
  readonly same: { readonly cost: string; readonly difference: string } | null;
}

/** Compares the prices of two models, and what both would cost for the tokens of an answer. Exact. */
export function priceDifference(
  from: Pricing | null | undefined,
  to: Pricing | null | undefined,
  usage: Message['usage'],
): PriceDifference {
  if (!to) return { price: '', difference: '', same: null };
  const price = `${usdPerMillion(to.prompt)} / ${usdPerMillion(to.completion)}`;
  if (!from) return { price, difference: '', same: usage && { cost: usd(formatUsd(cost(to, usage))), difference: '' } };
  const differs = from.prompt !== to.prompt || from.completion !== to.completion;
  const difference = differs
    ? `${perMillion(from.prompt, to.prompt)} / ${perMillion(from.completion, to.completion)}`
    : '';
  if (!usage) return { price, difference, same: null };
  const more = nanoUsd(cost(to, usage) - cost(from, usage));
  return {
    price,
    difference,
    same: { cost: usd(formatUsd(cost(to, usage))), difference: more === 0n ? '' : signedUsd(formatUsd(more)) },
  };
}

function perMillion(from: string, to: string): string {
  const more = parseUsdPerToken(to) - parseUsdPerToken(from);
  const size = usdPerMillion(formatUsdPerToken(picoUsd(more < 0n ? -more : more)));
  return more === 0n ? '±$0' : `${more < 0n ? '−' : '+'}${size}`;
}

/** Without cached tokens: another model has nothing of this chat in its cache. */
const cost = (pricing: Pricing, { promptTokens, completionTokens, reasoningTokens }: NonNullable<Message['usage']>) =>
  costOf(priceOf(pricing), {
    promptTokens,
    completionTokens,
    reasoningTokens,
    cachedTokens: 0,
    cacheWriteTokens: 0,
  });
