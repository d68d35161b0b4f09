import { type NanoUsd, nanoUsd } from '#shared/money.ts';
import { lineCounts, lineRates, type Price, type Rates, ratesFor, type TokenUsage } from '#shared/price.ts';

/** A request as it was, whoever answered it. */
export interface PastRequest extends TokenUsage {
  /** What it cost: charged, and asked by the provider of the caller's own key. */
  readonly costNano: bigint;
  /** Abilities that it took, as far as they are known. */
  readonly needs: readonly string[];
}

/** A model that the requests might have been sent to. */
export interface Candidate {
  /** `provider/model`. */
  readonly model: string;
  readonly price: Price;
  /** Null: not known, and then everything is taken to fit. */
  readonly contextLength: number | null;
  readonly maxOutputTokens: number | null;
  readonly abilities: ReadonlySet<string>;
}

/** Requests that are left out of a comparison, and what they cost. */
export interface LeftOut {
  readonly requests: number;
  readonly cost: NanoUsd;
}

/** What requests would have cost with a model. */
export interface Repriced {
  readonly model: string;
  readonly requests: number;
  /** Each request rounded up as it would have been billed. */
  readonly cost: NanoUsd;
  /** What the same requests did cost. */
  readonly actual: NanoUsd;
  /** Longer than its context, or an answer longer than it writes. */
  readonly tooLong: LeftOut;
  /** They fit, but took something that it cannot do. */
  readonly unable: LeftOut & { readonly lacks: readonly string[] };
}

/** Adds requests up as each of the models would have billed them: exact, with the rules of `price.ts`. */
export function repricing(candidates: readonly Candidate[]) {
  const tallies = candidates.map(getTally);
  return {
    add(request: PastRequest): void {
      for (const tally of tallies) tally.add(request);
    },
    result: (): Repriced[] => tallies.map((tally) => tally.result()),
  };
}

interface Sums {
  readonly rates: Rates;
  readonly prices: readonly bigint[];
  /** What is left of each price beyond whole nano-USD, in pico-USD. */
  readonly beyond: readonly number[];
  readonly counts: number[];
}

/**
 * Counts are added up and priced at the end. What rounding up adds to each request follows from the remainders alone, which are
 * small integers, so that no request needs a multiplication of large ones.
 */
function getTally({ model, price, contextLength, maxOutputTokens, abilities }: Candidate) {
  const sumsFor = (rates: Rates): Sums => {
    const prices = lineRates(price, rates);
    return { rates, prices, beyond: prices.map((pico) => Number(pico % 1000n)), counts: prices.map(() => 0) };
  };
  const base = sumsFor(price);
  const sums = [base, ...price.tiers.map(sumsFor)];
  const getSums = new Map(sums.map((sum) => [sum.rates, sum]));
  let roundedUp = 0;
  let requests = 0;
  let actual = 0n;
  const tooLong = { requests: 0, cost: 0n };
  const unable = { requests: 0, cost: 0n };
  const lacks = new Set<string>();

  return {
    add(request: PastRequest): void {
      const total = request.promptTokens + request.completionTokens;
      if (total > (contextLength ?? total) || request.completionTokens > (maxOutputTokens ?? total)) {
        tooLong.requests += 1;
        tooLong.cost += request.costNano;
        return;
      }
      if (request.needs.length > 0) {
        const missing = request.needs.filter((need) => !abilities.has(need));
        for (const need of missing) lacks.add(need);
        if (missing.length > 0) {
          unable.requests += 1;
          unable.cost += request.costNano;
          return;
        }
      }
      const sum = getSums.get(ratesFor(price, request.promptTokens)) ?? base;
      const counts = lineCounts(sum.rates, request);
      let remainder = 0;
      for (let at = 0; at < counts.length; at += 1) {
        const count = counts[at] ?? 0;
        sum.counts[at] = (sum.counts[at] ?? 0) + count;
        remainder += count * (sum.beyond[at] ?? 0);
      }
      roundedUp += (1000 - (remainder % 1000)) % 1000;
      requests += 1;
      actual += request.costNano;
    },

    result(): Repriced {
      const exact = sums.reduce(
        (all, { counts, prices }) =>
          all + counts.reduce((sum, count, at) => sum + BigInt(count) * (prices[at] ?? 0n), 0n),
        0n,
      );
      return {
        model,
        requests,
        cost: nanoUsd((exact + BigInt(roundedUp)) / 1000n),
        actual: nanoUsd(actual),
        tooLong: { requests: tooLong.requests, cost: nanoUsd(tooLong.cost) },
        unable: { requests: unable.requests, cost: nanoUsd(unable.cost), lacks: [...lacks].sort() },
      };
    },
  };
}
