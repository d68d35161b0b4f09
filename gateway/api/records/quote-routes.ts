import { Hono } from 'hono';
import { isOwnServer } from '#shared/known-providers.ts';
import { formatUsd, type NanoUsd, nanoUsd } from '#shared/money.ts';
import { getCost, noTokens, type Price, ratesFor } from '#shared/price.ts';
import type { Quote, QuoteLimit } from '#shared/wire/quote.ts';
import { type AdmissionDeps, admit, type RoutePlan, type Target } from '../../engine/admit.ts';
import type { ChatRequest } from '../../engine/answer.ts';
import {
  firstHold,
  initialHold,
  knownMaxAnswer,
  maxSearches,
  type ReserveInput,
  reserveInput,
} from '../../engine/billing/reserve.ts';
import { fitChatRequest } from '../../engine/fitting/fit-request.ts';
import { explain } from '../../engine/routing/resolve.ts';
import type { AppEnv } from '../../http/context.ts';
import { getBody } from '../../http/read-body.ts';
import { byokFee } from '../../ledger/byok-fee.ts';
import { type ModelName, modelLimitName } from '../../ledger/spending-limits.ts';
import type { CatalogueModel } from '../../models/catalogue/catalogue.ts';
import { tokensPerSearch } from '../../providers/content/estimate-tokens.ts';
import { maxInputTokens } from '../../providers/content/input-size.ts';
import { eitherReader, readChatRequest } from '../chat/read-chat-request.ts';
import { warningHeaders } from '../chat/stream-writer.ts';

/** The estimate is at most about twice what a tokenizer counts (plain words, long lines of code). */
const maxOverestimate = 2;

interface QuoteDeps extends AdmissionDeps {
  /** The operator's fee for answers with a caller's own key, in basis points of their cost (§6). */
  readonly byokFeeBps: number;
  /** Returns the balances and spending limits that would refuse a request with this hold. */
  readonly limitsFor: (request: ChatRequest, model: ModelName, hold: bigint) => Promise<QuoteLimit[]>;
}

/**
 * Returns what a request would cost (wire contract §10). It's admitted and routed like the request itself, but then
 * only priced.
 */
async function quoteFor(request: ChatRequest, deps: QuoteDeps): Promise<Quote> {
  const plan = admit(request, deps);
  const { features } = plan;
  const input = reserveInput(request, features, deps.byokFeeBps);
  const { target, hold, limits } = await heldFor(request, plan.targets, input, deps);
  const { model } = target;
  const tokens = tokensFor(input, features.inputTokens, model);
  return {
    object: 'quote',
    provider: model.provider,
    model: model.model,
    routing: explain({
      decision: plan.decision,
      model,
      attempts: [],
      catalogueVersion: deps.catalogue().version,
      full: request.fullRouting,
    }),
    tokens,
    cost_usd: {
      low: formatUsd(model.price ? minCost(model.price, tokens, input.byokFeeBps) : nanoUsd(0n)),
      high: formatUsd(hold),
    },
    byok: input.byokFeeBps !== null,
    open_ended: isOpenEnded(input, tokens, model),
    prices_as_of: model.price ? model.priceAsOf : null,
    limits,
    warnings: [...request.warnings, ...plan.warnings, ...fitChatRequest(request, target).warnings],
  };
}

/**
 * Finds the model that the request would hold an amount for. A model whose own limit refuses the request is skipped if
 * there is another.
 */
async function heldFor(
  request: ChatRequest,
  [target, ...rest]: RoutePlan['targets'],
  input: ReserveInput,
  deps: QuoteDeps,
): Promise<{ readonly target: Target; readonly hold: NanoUsd; readonly limits: QuoteLimit[] }> {
  const hold = firstHold(input, target.model);
  const limits = await deps.limitsFor(request, target.model, hold);
  const [next, ...later] = limits.some(({ name }) => name === modelLimitName)
    ? rest.filter(({ model }) => model !== target.model)
    : [];
  return next ? heldFor(request, [next, ...later], input, deps) : { target, hold, limits };
}

/**
 * True if the request may cost more than the quote: by a longer answer, or by content that the request or a self-hosted
 * server adds.
 */
const isOpenEnded = (input: ReserveInput, { completion, searches }: Quote['tokens'], model: CatalogueModel): boolean =>
  searches !== undefined ||
  input.inputSize.fileTokens !== null ||
  addsInstructions(model) ||
  (input.maxTokens === null && completion.high < (knownMaxAnswer(input, model) ?? Number.POSITIVE_INFINITY));

/** Self-hosted servers may put their own instructions before each request. */
const addsInstructions = ({ provider, simulated }: CatalogueModel): boolean => !simulated && isOwnServer(provider);

/** Returns the estimated tokens, and the minimum and maximum that a tokenizer may count for the same request. */
function tokensFor(input: ReserveInput, estimated: number, model: CatalogueModel): Quote['tokens'] {
  const searches = maxSearches(model, input.webSearch);
  const found = searches * tokensPerSearch;
  const maxPrompt = maxInputTokens(input.inputSize, model);
  const estimate = Math.min(estimated, maxPrompt);
  const prompt = { low: Math.floor(estimate / maxOverestimate), high: maxPrompt + found };
  const mayBeCached = model.capabilities.includes('prompt_cache');
  return {
    // A model that searches usually does so once.
    prompt: { estimate: estimate + Math.min(found, tokensPerSearch), ...prompt },
    cached: { low: 0, high: mayBeCached ? prompt.high : 0 },
    completion: { low: 0, high: initialHold(input, model) },
    ...(searches > 0 ? { searches: { low: 0, high: searches } } : {}),
  };
}

/** Returns the cost of the shortest prompt without an answer, read from the cache if there is one and it's cheaper. */
function minCost(price: Price, { prompt, cached }: Quote['tokens'], feeBps: number | null): NanoUsd {
  const { prompt: plain, cacheRead } = ratesFor(price, prompt.low);
  const isCheaper = cacheRead !== null && cacheRead < plain;
  const cachedTokens = isCheaper ? Math.min(prompt.low, cached.high) : 0;
  const usage = { ...noTokens, promptTokens: prompt.low, cachedTokens };
  return feeBps === null ? getCost(price, usage) : byokFee(price, usage, feeBps);
}

/**
 * Serves `POST /v1/quote`. It accepts the body of either chat API and distinguishes them by `messages` (wire contract
 * §10).
 */
export function quoteRoutes(deps: QuoteDeps): Hono<AppEnv> {
  return new Hono<AppEnv>().post('/v1/quote', async (context) => {
    const { requestId, principal, memoryLease, request: received } = context.var;
    const source = { requestId, principal, memoryLease, clientRequestId: received.clientRequestId };
    const request = await readChatRequest(source, getBody(context.req.raw), eitherReader);
    const quoted = await quoteFor(request, deps);
    return context.json(quoted, 200, warningHeaders(quoted.warnings));
  });
}
