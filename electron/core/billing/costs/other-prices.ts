import { parsePricing, searchesIn } from '#shared/bill-lines.ts';
import type { Message } from '#shared/contract/chat/conversations.ts';
import type { OtherPrice } from '#shared/contract/chat/quotes.ts';
import { refusal } from '#shared/language/refusals.ts';
import {
  formatUsd,
  formatUsdPerToken,
  type NanoUsd,
  nanoUsd,
  parseUsd,
  parseUsdPerToken,
  picoUsd,
} from '#shared/money.ts';
import { getCost, type TokenUsage } from '#shared/price.ts';
import type { Model } from '#shared/wire/model.ts';
import type { MessageStore } from '../../conversations/message-store.ts';
import type { DescribeModel } from '../../gateways/connection/model-facts.ts';

export interface OtherPricesDeps {
  readonly messages: Pick<MessageStore, 'find' | 'withSum'>;
  readonly modelFacts: DescribeModel;
  readonly knownModels: () => readonly Model[];
}

type Pricing = NonNullable<Model['pricing']>;
type Usage = Pick<TokenUsage, 'promptTokens' | 'completionTokens' | 'reasoningTokens'> & {
  readonly imageTokens?: number | undefined;
  readonly searches?: number | undefined;
};

/** The answer that other models are compared with. */
interface Compared {
  /** The model that wrote the answer, or null if it isn't known. */
  readonly model: string | null;
  readonly pricing: Pricing | null;
  readonly usage: Usage | null;
  /** The cost that is shown beside the answer, or null if it isn't known. */
  readonly costUsd: string | null;
}

/**
 * Compares the prices of all models with the model of an answer, and calculates what the answer’s tokens would cost
 * with each of them.
 */
export function otherPrices({ messages, modelFacts, knownModels }: OtherPricesDeps) {
  return async function others({ answerId }: { answerId: string }): Promise<OtherPrice[]> {
    const found = await messages.find(answerId);
    if (!found) throw refusal('not_found', 'answerGone');
    const answer = await messages.withSum(found);
    const { usage, costUsd, bill } = answer.sum ?? answer;
    const compared: Compared = {
      model: answer.servedModel === null ? answer.model : `${answer.servedProvider}/${answer.servedModel}`,
      pricing: getPricing(answer, modelFacts),
      usage: usage && { ...usage, searches: searchesIn(bill) },
      costUsd,
    };
    return knownModels().flatMap((model) =>
      model.pricing ? [{ model: model.id, ...priceDifference(compared, model.id, model.pricing) }] : [],
    );
  };
}

const getPricing = ({ servedProvider, servedModel, model }: Message, modelFacts: DescribeModel): Pricing | null =>
  (modelFacts(`${servedProvider}/${servedModel}`) ?? modelFacts(model ?? ''))?.record.pricing ?? null;

/**
 * Compares an answer with another model. The difference is to the cost that is shown beside the answer. For the same
 * model, that is also its cost.
 */
export function priceDifference(
  { model, pricing: from, usage, costUsd }: Compared,
  other: string,
  to: Pricing,
): Omit<OtherPrice, 'model'> {
  const differs = from && (from.prompt !== to.prompt || from.completion !== to.completion);
  const more = (key: 'prompt' | 'completion') =>
    formatUsdPerToken(picoUsd(parseUsdPerToken(to[key]) - parseUsdPerToken(from?.[key] ?? '0')));
  const known = costUsd === null ? null : parseUsd(costUsd);
  const cost = model === other && known !== null ? known : usage && costInstead(to, usage);
  return {
    more: differs ? { prompt: more('prompt'), completion: more('completion') } : null,
    costUsd: cost === null ? null : formatUsd(nanoUsd(cost)),
    moreUsd: known === null || cost === null ? null : formatUsd(nanoUsd(cost - known)),
  };
}

/**
 * Returns what the same tokens would cost with another model. None of them are cached, because another model has no
 * cache of this chat.
 */
export const costInstead = (
  pricing: Pricing,
  { promptTokens, completionTokens, reasoningTokens, imageTokens = 0, searches = 0 }: Usage,
): NanoUsd =>
  getCost(parsePricing(pricing), {
    promptTokens,
    completionTokens,
    reasoningTokens,
    imageTokens,
    searches,
    cachedTokens: 0,
    cacheWriteTokens: 0,
  });
