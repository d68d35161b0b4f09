import { Hono } from 'hono';
import { isOwnServer } from '#shared/known-providers.ts';
import { formatUsd, type NanoUsd, nanoUsd } from '#shared/money.ts';
import { getCost, noTokens, type Price, ratesFor } from '#shared/price.ts';
import type { Quote, QuoteLimit } from '#shared/wire/quote.ts';
import { type AdmissionDeps, type Admitted, admit, type Target } from '../../engine/admit.ts';
import type { Question } from '../../engine/answer.ts';
import { fitQuestion } from '../../engine/attempt.ts';
import {
  firstHold,
  initialHold,
  knownMaxAnswer,
  maxSearches,
  type ReserveInput,
  reserveInput,
} from '../../engine/billing/reserve.ts';
import { explain } from '../../engine/routing/resolve.ts';
import type { AppEnv } from '../../http/context.ts';
import { getBody } from '../../http/read-body.ts';
import { byokFee } from '../../ledger/byok-fee.ts';
import { type ModelName, modelLimitName } from '../../ledger/model-limits.ts';
import type { CatalogueModel } from '../../models/catalogue/catalogue.ts';
import { tokensPerSearch } from '../../providers/content/estimate-tokens.ts';
import { maxInputTokens } from '../../providers/content/input-size.ts';
import { warningHeaders } from '../chat/chat-headers.ts';
import { eitherReader } from '../chat/read-question.ts';
import { readChatCall } from '../chat/read-request.ts';

/** The estimate is at most about twice what a tokenizer counts (plain words, long lines of code). */
const fewestShare = 2;

interface QuoteDeps extends AdmissionDeps {
  /** What the operator asks for answers on a caller's own key, in basis points of their cost (§6). */
  readonly byokFeeBps: number;
  /** Which balances and caps would refuse a request that holds this much. */
  readonly limitsFor: (question: Question, model: ModelName, hold: bigint) => Promise<QuoteLimit[]>;
}

/** What a request would cost (wire contract §10): admitted and routed like the request itself, then only priced. */
async function quoteFor(question: Question, deps: QuoteDeps): Promise<Quote> {
  const admitted = admit(question, deps);
  const { features } = admitted;
  const input = reserveInput(question, features, deps.byokFeeBps);
  const { target, hold, limits } = await heldFor(question, admitted.targets, input, deps);
  const { model } = target;
  const tokens = tokensFor(input, features.inputTokens, model);
  return {
    object: 'quote',
    provider: model.provider,
    model: model.model,
    routing: explain({
      decision: admitted.decision,
      model,
      attempts: [],
      catalogueVersion: deps.catalogue().version,
      full: question.fullRouting,
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
    warnings: [...question.warnings, ...admitted.warnings, ...fitQuestion(question, target).warnings],
  };
}

/** The model that the request would hold for: one whose own limit refuses it is passed over, where there is another. */
async function heldFor(
  question: Question,
  [target, ...rest]: Admitted['targets'],
  input: ReserveInput,
  deps: QuoteDeps,
): Promise<{ readonly target: Target; readonly hold: NanoUsd; readonly limits: QuoteLimit[] }> {
  const hold = firstHold(input, target.model);
  const limits = await deps.limitsFor(question, target.model, hold);
  const [next, ...later] = limits.some(({ name }) => name === modelLimitName)
    ? rest.filter(({ model }) => model !== target.model)
    : [];
  return next ? heldFor(question, [next, ...later], input, deps) : { target, hold, limits };
}

/** It may cost more than the quote says: by a longer answer, or by what the request or a server of one's own brings in. */
const isOpenEnded = (input: ReserveInput, { completion, searches }: Quote['tokens'], model: CatalogueModel): boolean =>
  searches !== undefined ||
  input.inputSize.fileTokens !== null ||
  addsInstructions(model) ||
  (input.maxTokens === null && completion.high < (knownMaxAnswer(input, model) ?? Number.POSITIVE_INFINITY));

/** Servers that nobody knows may put instructions of their own before each request. */
const addsInstructions = ({ provider, simulated }: CatalogueModel): boolean => !simulated && isOwnServer(provider);

/** The estimate, and what a tokenizer may make of the same request at the least and at the most. */
function tokensFor(input: ReserveInput, estimated: number, model: CatalogueModel): Quote['tokens'] {
  const searches = maxSearches(model, input.webSearch);
  const found = searches * tokensPerSearch;
  const most = maxInputTokens(input.inputSize, model);
  const estimate = Math.min(estimated, most);
  const prompt = { low: Math.floor(estimate / fewestShare), high: most + found };
  const mayBeCached = model.capabilities.includes('prompt_cache');
  return {
    // One that searches does so once, as a rule.
    prompt: { estimate: estimate + Math.min(found, tokensPerSearch), ...prompt },
    cached: { low: 0, high: mayBeCached ? prompt.high : 0 },
    completion: { low: 0, high: initialHold(input, model) },
    ...(searches > 0 ? { searches: { low: 0, high: searches } } : {}),
  };
}

/** The shortest prompt, all of it from the cache where there is one and that is cheaper, and no answer. */
function minCost(price: Price, { prompt, cached }: Quote['tokens'], feeBps: number | null): NanoUsd {
  const { prompt: plain, cacheRead } = ratesFor(price, prompt.low);
  const isCheaper = cacheRead !== null && cacheRead < plain;
  const cachedTokens = isCheaper ? Math.min(prompt.low, cached.high) : 0;
  const usage = { ...noTokens, promptTokens: prompt.low, cachedTokens };
  return feeBps === null ? getCost(price, usage) : byokFee(price, usage, feeBps);
}

/** `POST /v1/quote`: the body of either chat form, told apart by `messages` (wire contract §10). */
export function quoteRoutes(deps: QuoteDeps): Hono<AppEnv> {
  return new Hono<AppEnv>().post('/v1/quote', async (context) => {
    const { requestId, principal, place, received } = context.var;
    const source = { requestId, principal, place, clientRequestId: received.clientRequestId };
    const { question } = await readChatCall({ ...source, request: getBody(context.req.raw) }, eitherReader);
    const quoted = await quoteFor(question, deps);
    return context.json(quoted, 200, warningHeaders(quoted.warnings));
  });
}
