import { billLines } from '#shared/bill-lines.ts';
import type { AppError, ErrorCode } from '#shared/errors.ts';
import { ceilToNano, formatUsd, type NanoUsd, nanoUsd, picoUsd } from '#shared/money.ts';
import { getCost, noTokens, type Price } from '#shared/price.ts';
import type { CostBreakdown, FinishReason, Routing, Warning } from '#shared/wire/chat-response.ts';
import { byokFee } from '../ledger/byok-fee.ts';
import type { Settlement } from '../ledger/ledger.ts';
import type { CatalogueModel } from '../models/catalogue/catalogue.ts';
import { priceAsServed } from '../models/catalogue/service-tiers.ts';
import { tokensPerSearch } from '../providers/content/estimate-tokens.ts';
import type { Served } from '../providers/provider.ts';
import type { RoutePlan } from './admit.ts';
import type { ChatRequest } from './answer.ts';
import type { Attempt } from './attempt.ts';
import type { Metered } from './billing/meter.ts';
import { type Extent, highestCost, type Reserve } from './billing/reserve.ts';
import type { ChatTask } from './chat-task.ts';
import type { EngineDeps } from './engine.ts';
import { explain } from './routing/resolve.ts';

/** How an answer ended. */
export type Outcome =
  | { readonly kind: 'finished'; readonly reason: FinishReason; readonly served: Served | null }
  | { readonly kind: 'out_of_credit' }
  | {
      readonly kind: 'failed';
      readonly error: AppError;
      /** The upstream broke off because it had to wait for the client: that counts as if the client had disconnected. */
      readonly byClient: boolean;
    };

/** The part of a request that its bill depends on, for chats and for embeddings. */
export interface Billable extends Pick<ChatTask, 'attempts' | 'startedAt' | 'wasted' | 'hasSent'> {
  readonly request: Pick<ChatRequest, 'requestId' | 'byoKey' | 'fullRouting' | 'stream'>;
  readonly deps: Pick<EngineDeps, 'byokFeeBps' | 'catalogue' | 'now'>;
  readonly plan: Pick<RoutePlan, 'decision' | 'targets'> & { readonly features: Omit<Extent, 'outputTokens'> };
  readonly reserve: Pick<Reserve, 'held'>;
  readonly current: BilledAttempt | null;
}

export type BilledAttempt = Pick<Attempt, 'target' | 'meter' | 'limits' | 'firstTokenAt'>;

/** How the model was chosen and which models were tried so far. */
export const getRouting = (
  { plan, deps, attempts, request }: Billable,
  { target }: BilledAttempt,
  full = request.fullRouting,
) =>
  explain({
    decision: plan.decision,
    model: target.model,
    attempts,
    catalogueVersion: deps.catalogue().version,
    full,
  });

/** How a request ends in the ledger, and what was measured of it. */
export interface Bill {
  readonly settlement: Settlement;
  /** The complete routing decision. Null when no model was asked. */
  readonly routing: Routing | null;
  readonly metered: Metered;
  /** For the log: the upstream's impossible report, and what was charged in its place. Null when the report is possible. */
  readonly unbelieved: Readonly<Record<string, unknown>> | null;
  /** The service tier that was served, when its price is not known. The answer was then charged at the tier that was asked for. */
  readonly unpricedTier: string | null;
  /** No price is known, and the upstream reported no cost: what the answer costs its operator is unknown. */
  readonly isCostUnknown: boolean;
}

/** The client disconnected, or its credential was revoked in the middle: what was produced by then is charged. */
const endedByCaller: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  ...(['client_closed_request', 'invalid_api_key', 'invalid_token', 'account_suspended'] as const),
]);

const isCancelled = (outcome: Outcome): boolean =>
  outcome.kind === 'failed' && (outcome.byClient || endedByCaller.has(outcome.error.code));

/**
 * Whether nothing is charged (§1.4.7): no upstream began, or one failed before the caller got anything, or the gateway shut down before
 * that. In every other case the upstream charges for what it produced, and so does the gateway.
 */
function isFree({ current, hasSent, request }: Billable, outcome: Outcome): boolean {
  if (!current?.meter.started) return true;
  if (outcome.kind !== 'failed' || isCancelled(outcome)) return false;
  // The client of a non-streaming answer gets an error in its place.
  const isDelivered = hasSent && request.stream;
  return !isDelivered && (outcome.error.origin === 'upstream' || outcome.error.code === 'shutting_down');
}

/** Whether the answer is charged although only its provider knows for how many tokens. */
export function endsUncounted(billable: Billable, outcome: Outcome): boolean {
  if (outcome.kind === 'finished') return billable.current?.meter.started === true && !billable.current.meter.counted;
  return !isFree(billable, outcome) && billable.current?.meter.isFullyCounted !== true;
}

/** Makes the bill by the table of §1.4.7. `withinHold`: the cost that the hold does not cover is left out. */
export function billFor(billable: Billable, outcome: Outcome, withinHold = false): Bill {
  const { request, current, startedAt, deps } = billable;
  const cancelled = isCancelled(outcome);
  const started = current?.meter.started ?? false;
  const metered = meteredFor(billable, outcome, withinHold);
  // Providers charge by the tier that they served, which may not be the one that was asked for.
  const served = outcome.kind === 'finished' && !withinHold ? outcome.served?.serviceTier : undefined;
  const { price, isKnown } = priceAsServed(current?.target.model ?? billable.plan.targets[0].model, served);
  const cost = current && started ? costOfUsage(price, metered) : nanoUsd(0n);
  const free = isFree(billable, outcome);
  const ownCost = current && started ? costByOwnPrice(current, price, metered) : null;
  const payable = ownCost ?? (current && started ? chargeable(billable, current, metered, cost, withinHold) : cost);
  const byokFeeBps = request.byoKey === null ? null : deps.byokFeeBps;
  const model = current?.target.model ?? billable.plan.targets[0].model;
  const isClamped = metered.unbelieved !== undefined || (ownCost === null && payable < cost);
  // The ledger keeps the complete decision, whatever the answer contained (§5.6).
  const routing = current ? getRouting(billable, current, true) : null;
  return {
    metered,
    routing,
    unpricedTier: isKnown ? null : (served ?? null),
    isCostUnknown: started && price === null && metered.reportedCost === null && !model.simulated,
    unbelieved: isClamped ? getUnbelieved(model, metered, payable) : null,
    settlement: {
      requestId: request.requestId,
      status: outcome.kind === 'failed' ? (cancelled ? 'cancelled' : 'failed') : 'succeeded',
      errorCode: outcome.kind !== 'failed' ? null : outcome.byClient ? 'client_closed_request' : outcome.error.code,
      charge: free ? nanoUsd(0n) : byokFeeBps === null ? payable : getFee(price, metered, byokFeeBps),
      ...(byokFeeBps ? { byokFeeBps } : {}),
      upstreamCost: nanoUsd(billable.wasted + cost),
      estimated: metered.estimated || (ownCost === null && payable < cost) || !isKnown,
      ...(free ? {} : costUpTo(current, metered, cost)),
      provider: model.provider,
      model: model.model,
      usage: metered.usage,
      // When the upstream reported its cost, no price of ours was used. A fee is a share of what our price comes to.
      price: metered.reportedCost === null || ownCost !== null || byokFeeBps ? price : null,
      routing: routing && JSON.stringify(routing),
      attempts: routing?.attempts.length ?? 0,
      firstTokenMs: current?.firstTokenAt ? Math.round(current.firstTokenAt - startedAt) : null,
      totalMs: Math.max(0, Math.round(deps.now() - startedAt)),
    },
  };
}

/** The cost by the operator's own price, when the server reports a cost of its own: that one is then only the operator's expense. */
const costByOwnPrice = ({ target }: BilledAttempt, price: Price | null, metered: Metered): NanoUsd | null =>
  price !== null && target.model.isOwnPrice && metered.reportedCost !== null && !metered.isProviderBill
    ? getCost(price, metered.usage)
    : null;

/** The most that the provider may charge when its count never came, if that is more than the estimate. */
function costUpTo(current: BilledAttempt | null, metered: Metered, cost: NanoUsd): Pick<Settlement, 'costUpTo'> {
  const price = current?.target.model.price;
  const usage = current?.meter.atMost(metered);
  // A simulated model stops at once and produces nothing that was not seen.
  if (!price || !usage || current?.target.model.simulated) return {};
  const most = getCost(price, usage);
  return most > cost ? { costUpTo: most } : {};
}

/** A server without a known price may report at most this cost, in pico-USD per token: more than any model is known to cost. */
const dearestUnknown = 1_000_000_000n;

/** The upstream's reported cost is charged when it is possible, else the cost of its token count at our price (docs/decisions/027). */
function chargeable(
  { plan, reserve, request }: Billable,
  current: BilledAttempt,
  metered: Metered,
  cost: NanoUsd,
  withinHold: boolean,
): NanoUsd {
  const { model } = current.target;
  if (metered.reportedCost === null || request.byoKey !== null || cost <= reserve.held) return cost;
  const { inputTokens, outputTokens, searches } = current.limits;
  const tokens = BigInt(inputTokens + outputTokens);
  const dearest = highestCost(model, { ...plan.features, inputTokens, outputTokens });
  const canBe =
    metered.unbelieved === undefined &&
    cost <= ceilToNano(dearest ?? picoUsd((tokens + BigInt(searches * tokensPerSearch)) * dearestUnknown));
  if (canBe && !withinHold) return cost;
  const counted = model.price ? getCost(model.price, metered.usage) : reserve.held;
  return counted < reserve.held ? counted : reserve.held;
}

const getUnbelieved = ({ provider, model }: CatalogueModel, metered: Metered, booked: NanoUsd) => ({
  provider,
  model,
  reported: metered.unbelieved ?? metered.usage,
  booked: metered.usage,
  ...(metered.reportedCost === null
    ? {}
    : { reported_usd: formatUsd(metered.reportedCost), booked_usd: formatUsd(booked) }),
});

/** The fee on the caller's own key. It is 0 when no price is known, because the hold could not cover what the upstream reports. */
const getFee = (price: Price | null, { usage }: Metered, bps: number): NanoUsd =>
  price ? byokFee(price, usage, bps) : nanoUsd(0n);

function meteredFor({ current }: Billable, outcome: Outcome, withinHold: boolean): Metered {
  if (!current?.meter.started) return { usage: noTokens, estimated: false, reportedCost: null };
  const { meter } = current;
  const metered = outcome.kind === 'finished' ? meter.complete() : meter.partial();
  return withinHold ? meter.withinHold(metered) : metered;
}

/** What a settled request's cost is made of. The app shows it without asking for the record. `charged`: what the ledger took. */
export function toCostBreakdown({ settlement, metered }: Bill, charged: NanoUsd, isOwnKey: boolean): CostBreakdown {
  const { price, upstreamCost, estimated, costUpTo } = settlement;
  const total = isOwnKey ? upstreamCost : charged;
  return {
    cost_lines: price && total > 0n ? [...billLines(price, metered.usage, total).lines] : [],
    price_as_of: price?.asOf ?? null,
    price_source: price?.source ?? null,
    ...(estimated && costUpTo !== undefined ? { cost_up_to_usd: formatUsd(costUpTo) } : {}),
  };
}

/** What an attempt costs whoever pays the upstream: its reported cost if it has one, and 0 when no price is known. */
export const upstreamCost = ({ target }: BilledAttempt, metered: Metered): NanoUsd =>
  costOfUsage(target.model.price, metered);

const costOfUsage = (price: Price | null, { usage, reportedCost }: Metered): NanoUsd =>
  reportedCost ?? (price ? getCost(price, usage) : nanoUsd(0n));

/** The warnings that an answer gets when its bill is made. */
export function billWarnings(outcome: Outcome, { unbelieved, unpricedTier, isCostUnknown }: Bill): Warning[] {
  const warnings: Warning[] = [];
  const warn = (code: string, param: string | null, message: string) => warnings.push({ code, param, message });
  if (outcome.kind === 'out_of_credit') {
    warn('stopped_by_credit', null, 'The balance or a spending limit did not cover a longer answer, so it ends here.');
  }
  if (unbelieved) {
    const message =
      'The provider reported more than this request can have used. What was set aside for it is the most that is charged.';
    warn('usage_clamped', null, message);
  }
  if (unpricedTier !== null) {
    const message = `The provider served this in its tier "${unpricedTier}", whose price is not known here: the cost is an estimate.`;
    warn('tier_price_unknown', 'service_tier', message);
  }
  if (isCostUnknown) {
    const message =
      'No price is known for this model, so what the answer costs is unknown. Nothing was charged for it.';
    warn('cost_unknown', null, message);
  }
  return warnings;
}
