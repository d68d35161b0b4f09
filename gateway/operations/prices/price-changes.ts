import { formatUsdPerToken, type PicoUsd, picoUsd } from '#shared/money.ts';
import { costLines, type Price, type TokenUsage } from '#shared/price.ts';
import { formatPerMillion, type PriceFields, parsePricing } from '../../models/prices/price-document.ts';
import { type PricedLine, pricedLines, typicalUsages } from './typical-usages.ts';

/** A price that changes by more than this factor between two editions is considered a mistake. */
const maxTimes = 10n;
/**
 * A rate that a model didn't have before is compared with what such tokens cost until then. It may differ by more: at shipped
 * prices, cache reads cost down to 1/121 of the input, and images up to 20 times other output.
 */
const maxTimesOfNewRate: Partial<Record<PricedLine['field'], { readonly up: bigint; readonly down: bigint }>> = {
  cache_read: { up: maxTimes, down: 200n },
  input_audio: { up: 40n, down: maxTimes },
  output_image: { up: 40n, down: maxTimes },
};
/** USD per million tokens. The highest rate that ships is 600. */
const maxRate = picoUsd(1_000_000_000n);
/** The limit for tokens that were free, because there is nothing to compare with. */
const maxRateOfFree = picoUsd(100_000_000n);
/** 10 cents a request. */
const maxFee = picoUsd(100_000_000_000n);

interface Limit {
  readonly up: bigint;
  readonly down: bigint;
}
const usual: Limit = { up: maxTimes, down: maxTimes };

/**
 * Returns why a price change isn't plausible, as the end of a sentence: the line of the cost breakdown with its old and new
 * price. Null when it's plausible. `before` is null for a model without a price.
 */
export function faultOfChange(before: PriceFields | null, after: PriceFields): string | null {
  if (after.tiers.some(({ above }, index) => above <= (after.tiers[index - 1]?.above ?? 0)))
    return 'its tiers are not in the order of their lengths';
  const change: Change = { before, after, old: before && toPrice(before), new: toPrice(after), plain: toPlain(after) };
  for (const promptTokens of promptLengths(before, after)) {
    for (const line of pricedLines) {
      const fault = faultOfLine(change, line, promptTokens);
      if (fault) return fault;
    }
  }
  return faultOfFee(change) ?? faultOfTotals(change);
}

interface Change {
  readonly before: PriceFields | null;
  readonly after: PriceFields;
  readonly old: Price | null;
  readonly new: Price;
  /** The new price with input and output only, for comparing rates that didn't exist before. */
  readonly plain: Price;
}

const toPrice = (fields: PriceFields): Price => parsePricing(fields, '', '');
const toPlain = ({ input, output }: PriceFields): Price =>
  toPrice({ input, output, cache_read: null, cache_write: null, tiers: [] });

/** Returns one prompt length below every tier, and those on both sides of each boundary. Between them nothing changes. */
function promptLengths(before: PriceFields | null, after: PriceFields): readonly number[] {
  const boundaries = [...(before?.tiers ?? []), ...after.tiers].map(({ above }) => above);
  return [...new Set([1, ...boundaries.flatMap((above) => [above, above + 1])])];
}

function faultOfLine(change: Change, line: PricedLine, promptTokens: number): string | null {
  const rate = (price: Price) => getRate(price, line, promptTokens);
  const now = rate(change.new);
  const was = change.old ? rate(change.old) : picoUsd(0n);
  const from = change.old ? `from $${formatPerMillion(was)} ` : '';
  const fault = `${line.field}${getPlace(change, promptTokens)} would go ${from}to $${formatPerMillion(now)} per million tokens`;
  if (now > maxRate) return fault;
  if (was > 0n) return isFar(was, now, getLimit(change, line, promptTokens)) ? fault : null;
  if (now === 0n) return null;
  if (now > maxRateOfFree && change.old) return fault;
  const usually = rate(change.plain);
  const limit = maxTimesOfNewRate[line.field] ?? usual;
  return usually > 0n && isFar(usually, now, limit) ? fault : null;
}

function getRate(price: Price, line: PricedLine, promptTokens: number): PicoUsd {
  const cost = getSum(price, line.usage(promptTokens), line.kinds);
  return picoUsd(cost / BigInt(line.count(promptTokens)));
}

function getSum(price: Price, usage: TokenUsage, kinds?: PricedLine['kinds']): bigint {
  const lines = costLines(price, usage).filter(({ kind }) => kinds === undefined || kinds.includes(kind));
  return lines.reduce((sum, { pico }) => sum + pico, 0n);
}

const isFar = (was: bigint, now: bigint, { up, down }: Limit) => now === 0n || now > was * up || was > now * down;

/** A rate counts as new for a prompt length when it has its own price now and had none before. */
function getLimit({ before, after }: Change, { field }: PricedLine, promptTokens: number): Limit {
  const wide = maxTimesOfNewRate[field];
  if (!wide || !before) return wide ?? usual;
  return ratesAt(before, promptTokens)[field] == null && ratesAt(after, promptTokens)[field] != null ? wide : usual;
}

const ratesAt = (fields: PriceFields, promptTokens: number) =>
  fields.tiers.findLast(({ above }) => promptTokens > above) ?? fields;

function getPlace({ before, after }: Change, promptTokens: number): string {
  if ((before?.tiers.length ?? 0) + after.tiers.length === 0) return '';
  return promptTokens === 1 ? ' of a short prompt' : ` of a prompt of ${promptTokens.toLocaleString('en')} tokens`;
}

function faultOfFee({ old, new: { request: now } }: Change): string | null {
  const was = old?.request ?? picoUsd(0n);
  const fault = `request would go from $${formatUsdPerToken(was)} to $${formatUsdPerToken(now)} a request`;
  if (now > maxFee) return fault;
  return was > 0n && isFar(was, now, usual) ? fault : null;
}

/** Finds what no single line shows: for example a new fee on top of requests that cost less than it. */
function faultOfTotals(change: Change): string | null {
  for (const [name, usage] of Object.entries(typicalUsages)) {
    const was = getSum(change.old ?? change.plain, usage) || getSum(change.plain, usage);
    const now = getSum(change.new, usage);
    if (was > 0n && isFar(was, now, limitOfTotal(change, usage)))
      return `${name} would go from $${formatUsdPerToken(picoUsd(was))} to $${formatUsdPerToken(picoUsd(now))}`;
  }
  return null;
}

/** A sum may change as much as the one part of it that may change most. */
function limitOfTotal(change: Change, usage: TokenUsage): Limit {
  const has: Partial<Record<PricedLine['field'], boolean>> = {
    cache_read: usage.cachedTokens > 0,
    input_audio: (usage.audioTokens ?? 0) > 0,
    output_image: (usage.imageTokens ?? 0) > 0,
  };
  return pricedLines
    .filter(({ field }) => has[field])
    .map((line) => getLimit(change, line, usage.promptTokens))
    .reduce((first, second) => ({ up: max(first.up, second.up), down: max(first.down, second.down) }), usual);
}

const max = (first: bigint, second: bigint) => (first > second ? first : second);
