import type { ErrorCode } from '#shared/errors.ts';
import { ceilToNano, formatUsd, type NanoUsd, nanoUsd, picoUsd } from '#shared/money.ts';
import { getCost, noTokens, type Price } from '#shared/price.ts';
import type { Routing, Warning } from '#shared/wire/chat-response.ts';
import { byokFee } from '../ledger/byok-fee.ts';
import type { Settlement } from '../ledger/ledger.ts';
import type { CatalogueModel } from '../models/catalogue/catalogue.ts';
import { priceAsServed } from '../models/catalogue/service-tiers.ts';
import { tokensPerSearch } from '../providers/content/estimate-tokens.ts';
import type { Metered } from './billing/meter.ts';
import { highestCost } from './billing/reserve.ts';
import { type Billable, type BilledTry, getRouting, type Outcome } from './run.ts';

/** How a request ends in the books, and what was measured of it. */
export interface Bill {
  readonly settlement: Settlement;
  /** The whole decision; null where nobody was asked. */
  readonly routing: Routing | null;
  readonly metered: Metered;
  /** For the log: what the upstream said that cannot be, and what was booked in its place. Null where all of it can. */
  readonly unbelieved: Readonly<Record<string, unknown>> | null;
  /** The tier of service that was served, where nobody knows its price: it was billed as the one that was asked for. */
  readonly unpricedTier: string | null;
}

/** The client left, or its credential was taken away in the middle: what was produced by then is paid for. */
const endedByCaller: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  ...(['client_closed_request', 'invalid_api_key', 'invalid_token', 'account_suspended'] as const),
]);

const isCancelled = (outcome: Outcome): boolean =>
  outcome.kind === 'failed' && (outcome.byClient || endedByCaller.has(outcome.error.code));

/**
 * Whether nothing is charged (§1.4.7): no upstream began, or one failed by itself before the caller got anything, or the gateway shut
 * down before that. Whatever else ends an answer, the upstream bills what it produced, and so does the gateway.
 */
function isFree({ current, spoken, question }: Billable, outcome: Outcome): boolean {
  if (!current?.meter.started) return true;
  if (outcome.kind !== 'failed' || isCancelled(outcome)) return false;
  // Who waits for all of an answer gets an error in its place.
  const isDelivered = spoken && question.stream;
  return !isDelivered && (outcome.error.origin === 'upstream' || outcome.error.code === 'shutting_down');
}

/** The answer, or a part of it, is paid for, and how much that was only the provider can say. */
export function endsUncounted(run: Billable, outcome: Outcome): boolean {
  if (outcome.kind === 'finished') return run.current?.meter.started === true && !run.current.meter.counted;
  return !isFree(run, outcome) && run.current?.meter.countedWhole !== true;
}

/** The billing table of §1.4.7. `withinHold`: what the hold doesn't cover is left out. */
export function billFor(run: Billable, outcome: Outcome, withinHold = false): Bill {
  const { question, current, startedAt, deps } = run;
  const cancelled = isCancelled(outcome);
  const started = current?.meter.started ?? false;
  const metered = meteredFor(run, outcome, withinHold);
  // Providers bill by the tier that they served, which may be another than was asked and held for.
  const served = outcome.kind === 'finished' && !withinHold ? outcome.served?.serviceTier : undefined;
  const { price, isKnown } = priceAsServed(current?.target.model ?? run.admitted.targets[0].model, served);
  const cost = current && started ? costOfUsage(price, metered) : nanoUsd(0n);
  const free = isFree(run, outcome);
  const ownCost = current && started ? costByOwnPrice(current, price, metered) : null;
  const payable = ownCost ?? (current && started ? chargeable(run, current, metered, cost, withinHold) : cost);
  const byokFeeBps = question.byoKey === null ? null : deps.byokFeeBps;
  const model = current?.target.model ?? run.admitted.targets[0].model;
  const isClamped = metered.unbelieved !== undefined || (ownCost === null && payable < cost);
  // The books keep the whole decision, whatever the answer told (§5.6).
  const routing = current ? getRouting(run, current, true) : null;
  return {
    metered,
    routing,
    unpricedTier: isKnown ? null : (served ?? null),
    unbelieved: isClamped ? getUnbelieved(model, metered, payable) : null,
    settlement: {
      requestId: question.requestId,
      status: outcome.kind === 'failed' ? (cancelled ? 'cancelled' : 'failed') : 'succeeded',
      errorCode: outcome.kind !== 'failed' ? null : outcome.byClient ? 'client_closed_request' : outcome.error.code,
      charge: free ? nanoUsd(0n) : byokFeeBps === null ? payable : getFee(price, metered, byokFeeBps),
      ...(byokFeeBps ? { byokFeeBps } : {}),
      upstreamCost: nanoUsd(run.wasted + cost),
      estimated: metered.estimated || (ownCost === null && payable < cost) || !isKnown,
      ...(free ? {} : costUpTo(current, metered, cost)),
      provider: model.provider,
      model: model.model,
      usage: metered.usage,
      // Where the upstream named its cost, no row of ours was used; a fee is a share of what ours says.
      price: metered.reportedCost === null || ownCost !== null || byokFeeBps ? price : null,
      routing: routing && JSON.stringify(routing),
      attempts: routing?.attempts.length ?? 0,
      firstTokenMs: current?.firstTokenAt ? Math.round(current.firstTokenAt - startedAt) : null,
      totalMs: Math.max(0, Math.round(deps.now() - startedAt)),
    },
  };
}

/** What the operator's own price makes of it, where a server names a cost of its own: that is then only what it costs the operator. */
const costByOwnPrice = ({ target }: BilledTry, price: Price | null, metered: Metered): NanoUsd | null =>
  price !== null && target.model.isOwnPrice && metered.reportedCost !== null && !metered.isProviderBill
    ? getCost(price, metered.usage)
    : null;

/** What the provider may bill where its count never came: more than the estimate, or nothing is said. */
function costUpTo(current: BilledTry | null, metered: Metered, cost: NanoUsd): Pick<Settlement, 'costUpTo'> {
  const price = current?.target.model.price;
  const usage = current?.meter.atMost(metered);
  // A simulated model stops at once: nothing is unseen.
  if (!price || !usage || current?.target.model.simulated) return {};
  const most = getCost(price, usage);
  return most > cost ? { costUpTo: most } : {};
}

/** A server whose price nobody knows may name its own up to this, in pico-USD per token: more than any is known to ask. */
const dearestUnknown = 1_000_000_000n;

/** What an upstream names as its cost is charged where that can be; else what our price makes of its count (docs/decisions/027). */
function chargeable(
  { admitted, reserve, question }: Billable,
  current: BilledTry,
  metered: Metered,
  cost: NanoUsd,
  withinHold: boolean,
): NanoUsd {
  const { model } = current.target;
  if (metered.reportedCost === null || question.byoKey !== null || cost <= reserve.held) return cost;
  const { inputTokens, outputTokens, searches } = current.limits;
  const tokens = BigInt(inputTokens + outputTokens);
  const dearest = highestCost(model, { ...admitted.features, inputTokens, outputTokens });
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

/** No fee where no price is known: what the upstream says of itself is not what was held for. */
const getFee = (price: Price | null, { usage }: Metered, bps: number): NanoUsd =>
  price ? byokFee(price, usage, bps) : nanoUsd(0n);

function meteredFor({ current }: Billable, outcome: Outcome, withinHold: boolean): Metered {
  if (!current?.meter.started) return { usage: noTokens, estimated: false, reportedCost: null };
  const { meter } = current;
  const metered = outcome.kind === 'finished' ? meter.complete() : meter.partial();
  return withinHold ? meter.withinHold(metered) : metered;
}

/** What an attempt costs whoever pays the upstream: in its own words where it says so; 0 where no price is known. */
export const upstreamCost = ({ target }: BilledTry, metered: Metered): NanoUsd =>
  costOfUsage(target.model.price, metered);

const costOfUsage = (price: Price | null, { usage, reportedCost }: Metered): NanoUsd =>
  reportedCost ?? (price ? getCost(price, usage) : nanoUsd(0n));

/** What is to be said of an answer once it is billed. */
export const billWarnings = (outcome: Outcome, bill: Bill): Warning[] => [
  ...creditWarning(outcome),
  ...usageWarning(bill),
  ...tierWarning(bill),
];

function tierWarning({ unpricedTier }: Bill): Warning[] {
  if (unpricedTier === null) return [];
  const message = `The provider served this in its tier "${unpricedTier}", whose price is not known here: the cost is an estimate.`;
  return [{ code: 'tier_price_unknown', param: 'service_tier', message }];
}

function usageWarning({ unbelieved }: Bill): Warning[] {
  if (!unbelieved) return [];
  const message =
    'The provider reported more than this request can have used. What was set aside for it is the most that is charged.';
  return [{ code: 'usage_clamped', param: null, message }];
}

function creditWarning(outcome: Outcome): Warning[] {
  if (outcome.kind !== 'out_of_credit') return [];
  const message = 'The balance or a spending limit did not cover a longer answer, so it ends here.';
  return [{ code: 'stopped_by_credit', param: null, message }];
}
