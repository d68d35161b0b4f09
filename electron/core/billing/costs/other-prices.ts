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

/** The answer that prices are compared with. */
interface Compared {
  /** The model that gave it. Null: not known. */
  readonly model: string | null;
  readonly pricing: Pricing | null;
  readonly usage: Usage | null;
  /** What stands beside the answer. Null: not known. */
  readonly costUsd: string | null;
}

/** Prices of all models against the one that gave an answer, and what the answer’s tokens would cost with each. */
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

/** The difference is to the amount that stands beside the answer, which the same model would cost again. */
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

/** The cost of as many tokens. None are cached: another model has nothing of this chat in its cache. */
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
