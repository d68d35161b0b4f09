import { estimateInputTokens, estimateTextTokens } from '#gateway/providers/content/estimate-tokens.ts';
import { billLines, isEnteredPrice, parsePricing } from '#shared/bill-lines.ts';
import type { ReportedChunk, ReportedCounters, ReportedRequest } from '#shared/client/reported.ts';
import type { CostSource, Message } from '#shared/contract/chat/conversations.ts';
import { type Bill, type BillKind, billKind } from '#shared/contract/common/bills.ts';
import { formatUsd, parseUsd } from '#shared/money.ts';
import { getCost, noTokens, type Price } from '#shared/price.ts';
import { pricing } from '#shared/wire/model.ts';
import { lostAnswerCodes, type RequestRecord } from '#shared/wire/request-record.ts';
import { isOwnKeys } from '../../gateways/connection/connections.ts';
import type { ModelFacts } from '../../gateways/connection/model-facts.ts';
import { wordsWithCalls } from '../../request/history.ts';

/**
 * Returns what requests cost the user, in nano-USD: the gateway's charge, and what providers bill for requests with the
 * user's own keys, which the gateway doesn't charge. Null if the gateway doesn't report it.
 */
export const getPersonCost = ({
  cost_usd: charge,
  byok_upstream_cost_usd: ownKeys,
}: Pick<ReportedCounters, 'cost_usd' | 'byok_upstream_cost_usd'>): bigint | null =>
  charge === null ? null : parseUsd(charge) + parseUsd(ownKeys ?? '0');

/**
 * Returns how many requests of a sum have an unknown cost. On own keys these include requests that ended early: the
 * provider may have billed them. A gateway that doesn't count them has none.
 */
export const countUnknown = (
  { unknown_cost_requests: unknown, unfinished_requests: unfinished }: Partial<ReportedCounters>,
  source: string,
): number => (unknown ?? 0) + (isOwnKeys(source) ? (unfinished ?? 0) : 0);

interface Cost {
  readonly costUsd: string | null;
  readonly costSource: CostSource;
}

/** The cost of a request that was refused or never sent. */
export const uncharged = { costUsd: '0', costSource: 'uncharged' } as const satisfies Cost;

const unknown: Cost = { costUsd: null, costSource: 'unknown' };

/** A cost as a gateway reports it, in a chunk or in a record. */
interface ReportedCost {
  readonly charged: string;
  /** The provider bills the user directly, because the request or the account used the user's own key. */
  readonly ownKey: boolean;
  readonly estimated: boolean;
  /** Tokens were used, but their price isn't known. */
  readonly unpriced: boolean;
}

/** Decides how an amount is labelled. No other function does. Without a price the cost is unknown, not zero. */
const decideCost = ({ charged, ownKey, estimated, unpriced }: ReportedCost): Cost =>
  unpriced ? unknown : { costUsd: charged, costSource: estimated ? 'estimated' : ownKey ? 'byok' : 'billed' };

/**
 * Returns the cost in an answer’s last chunk. If a gateway counts tokens but reports no cost, the list price of the
 * tokens is the estimate. `source` is the account that pays.
 */
export function costOfChunk(
  { usage, byok = false, portico }: Pick<ReportedChunk, 'usage' | 'byok' | 'portico'>,
  facts: ModelFacts | null,
  source: string,
): Cost {
  if (!usage) return unknown;
  const charged = byok ? usage.upstream_cost_usd : usage.cost_usd;
  if (charged === null) return !byok && facts?.record.pricing ? getListPrice(facts.record.pricing, usage) : unknown;
  // A cost that another gateway reports is known, even if that gateway lists no price.
  const hasNoPrice =
    portico === undefined
      ? facts?.priced === false && facts.record.other !== true
      : portico.price_as_of === null && portico.price_source === null && usage.total_tokens > 0;
  const ownKey = byok || isOwnKeys(source);
  return decideCost({ charged, ownKey, estimated: usage.estimated, unpriced: hasNoPrice && isZero(charged) });
}

/** Returns the cost breakdown in an answer’s last chunk, or null if there is none. */
export function billOfChunk({ usage, portico }: Pick<ReportedChunk, 'usage' | 'portico'>): Bill | null {
  if (!portico || portico.cost_lines.length === 0) return null;
  const upTo = usage?.estimated ? portico.cost_up_to_usd : undefined;
  return {
    lines: portico.cost_lines.map(({ kind, tokens, usd }) => ({ kind: toBillKind(kind), tokens, usd })),
    ...(upTo === undefined ? {} : { upTo }),
    price: { asOf: portico.price_as_of, entered: isEnteredPrice(portico.price_source) },
  };
}

/** A newer gateway may report kinds that this version doesn't know. */
const toBillKind = (kind: string): BillKind => billKind.safeParse(kind).data ?? 'other';

const isZero = (usd: string | null): boolean => usd === null || parseUsd(usd) === 0n;

function getListPrice(price: Parameters<typeof parsePricing>[0], usage: NonNullable<ReportedChunk['usage']>): Cost {
  const { promptTokens, completionTokens, cachedTokens, reasoningTokens } = usageOfChunk(usage);
  const counted = { ...noTokens, promptTokens, completionTokens, cachedTokens, reasoningTokens };
  return { costUsd: formatUsd(getCost(parsePricing(price), counted)), costSource: 'estimated' };
}

/**
 * Returns the cost in the gateway’s record of an ended request (wire contract §10). `source` is the account that pays.
 * The gateway never charges a request that failed before any of it was delivered (§1.4). With the user's own key,
 * however, the provider may bill its work up to then, and no one reports that amount, so the cost is unknown.
 */
export function costOfRecord(record: ReportedRequest, source: string): Cost {
  if (isUnpriced(record)) return unknown;
  const ownKey = record.byok || isOwnKeys(source);
  const charged = (record.byok ? record.upstream_cost_usd : record.cost_usd) ?? '0';
  const taken = record.status === 'failed' ? record.cost_usd : charged;
  const cameToNothing = record.status !== 'succeeded' && isZero(taken);
  if (cameToNothing && ownKey && mayHaveRun(record)) return unknown;
  if (cameToNothing && isZero(record.cost_usd)) return { ...uncharged, costUsd: record.cost_usd };
  const estimated = record.estimated && !cameToNothing;
  return decideCost({ charged: cameToNothing ? record.cost_usd : charged, ownKey, estimated, unpriced: false });
}

/**
 * Whether tokens were used without a known price. A record without a price isn't enough: an upstream may report its own
 * cost, and another gateway's cost is known without a price.
 */
const isUnpriced = ({ other, price, status, total_tokens, cost_usd, upstream_cost_usd }: ReportedRequest): boolean =>
  !other && price === null && status !== 'failed' && total_tokens > 0 && isZero(cost_usd) && isZero(upstream_cost_usd);

const lostAnswers: ReadonlySet<string> = new Set(lostAnswerCodes);

const mayHaveRun = ({ total_tokens, upstream_cost_usd, error_code }: RequestRecord): boolean =>
  total_tokens > 0 || !isZero(upstream_cost_usd) || lostAnswers.has(error_code ?? '');

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

/** Records of earlier gateways have neither the date nor the source of their price. */
const recordedPrice = pricing
  .pick({
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
    as_of: true,
    source: true,
  })
  .partial({ as_of: true, source: true });

/** Returns the cost breakdown by the price in the gateway's record, or null if the record has no price. */
export function billOfRecord(record: ReportedRequest, source: string): Bill | null {
  const { costUsd } = costOfRecord(record, source);
  const price = recordedPrice.safeParse(record.price);
  if (costUsd === null || isZero(costUsd) || !price.success) return null;
  const bill = billLines(
    parsePricing(price.data),
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
  const { as_of: asOf, source: priceSource } = price.data;
  const upTo = record.estimated ? record.cost_up_to_usd : undefined;
  return {
    ...bill,
    ...(upTo === undefined ? {} : { upTo }),
    price: { asOf: asOf ?? null, entered: isEnteredPrice(priceSource ?? null) },
  };
}

/** Estimates a cost with our own token count and the list price. */
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
  const cost = getCost(price, usage);
  return { costUsd: formatUsd(cost), costSource: 'estimated' as const, bill: billLines(price, usage, cost) };
}
