import { priceOf } from '#shared/bill-lines.ts';
import type { Message } from '#shared/contract/chat/conversations.ts';
import type { OtherPrice } from '#shared/contract/chat/quotes.ts';
import { refusal } from '#shared/language/refusals.ts';
import { formatUsd, formatUsdPerToken, type NanoUsd, nanoUsd, parseUsdPerToken, picoUsd } from '#shared/money.ts';
import { costOf, type TokenUsage } from '#shared/price.ts';
import type { Model } from '#shared/wire/model.ts';
import type { DescribeModel } from '../connection/model-facts.ts';
import type { MessageStore } from '../conversations/message-store.ts';

export interface OtherPricesDeps {
  readonly messages: Pick<MessageStore, 'find' | 'withSum'>;
  readonly modelFacts: DescribeModel;
  readonly knownModels: () => readonly Model[];
}

type Pricing = NonNullable<Model['pricing']>;
type Usage = Pick<TokenUsage, 'promptTokens' | 'completionTokens' | 'reasoningTokens'> & {
  readonly imageTokens?: number | undefined;
};

/** Prices of all models against the one that gave an answer, and what the answer’s tokens would cost with each. */
export function otherPrices({ messages, modelFacts, knownModels }: OtherPricesDeps) {
  return async function others({ answerId }: { answerId: string }): Promise<OtherPrice[]> {
    const found = await messages.find(answerId);
    if (!found) throw refusal('not_found', 'answerGone');
    const answer = await messages.withSum(found);
    const { usage } = answer.sum ?? answer;
    const pricing = pricingOf(answer, modelFacts);
    return knownModels().flatMap((model) =>
      model.pricing ? [{ model: model.id, ...priceDifference(pricing, model.pricing, usage) }] : [],
    );
  };
}

const pricingOf = ({ servedProvider, servedModel, model }: Message, modelFacts: DescribeModel): Pricing | null =>
  (modelFacts(`${servedProvider}/${servedModel}`) ?? modelFacts(model ?? ''))?.record.pricing ?? null;

export function priceDifference(from: Pricing | null, to: Pricing, usage: Usage | null): Omit<OtherPrice, 'model'> {
  const differs = from && (from.prompt !== to.prompt || from.completion !== to.completion);
  const more = (key: 'prompt' | 'completion') =>
    formatUsdPerToken(picoUsd(parseUsdPerToken(to[key]) - parseUsdPerToken(from?.[key] ?? '0')));
  const cost = usage && costInstead(to, usage);
  return {
    more: differs ? { prompt: more('prompt'), completion: more('completion') } : null,
    costUsd: cost === null ? null : formatUsd(cost),
    moreUsd: from && usage && cost !== null ? formatUsd(nanoUsd(cost - costInstead(from, usage))) : null,
  };
}

/** The cost of as many tokens. None are cached: another model has nothing of this chat in its cache. */
export const costInstead = (
  pricing: Pricing,
  { promptTokens, completionTokens, reasoningTokens, imageTokens = 0 }: Usage,
): NanoUsd =>
  costOf(priceOf(pricing), {
    promptTokens,
    completionTokens,
    reasoningTokens,
    imageTokens,
    cachedTokens: 0,
    cacheWriteTokens: 0,
  });
