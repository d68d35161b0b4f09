import { type NanoUsd, nanoUsd } from '#shared/money.ts';
import { lineCounts, lineRates, type Price, type Rates, ratesFor, type TokenUsage } from '#shared/price.ts';

/** A past request, independent of the model that answered it. */
export interface PastRequest extends TokenUsage {
  /** Its actual cost: the charge plus the provider cost on the caller's own key. */
  readonly costNano: bigint;
  /** The abilities that it needed, as far as they are known. */
  readonly needs: readonly string[];
}

/** A model to compare with. */
export interface Candidate {
  /** `provider/model`. */
  readonly model: string;
  readonly price: Price;
  /** Null when unknown; every request is then assumed to fit. */
  readonly contextLength: number | null;
  readonly maxOutputTokens: number | null;
  readonly abilities: ReadonlySet<string>;
}

/** Requests that are left out of a comparison, with their cost. */
export interface LeftOut {
  readonly requests: number;
  readonly cost: NanoUsd;
}

/** What the requests would have cost with one model. */
export interface Repriced {
  readonly model: string;
  readonly requests: number;
  /** Each request is rounded up separately, as it would have been charged. */
  readonly cost: NanoUsd;
  /** What the same requests actually cost. */
  readonly actual: NanoUsd;
  /** Requests that exceed the model's context, or whose answer exceeds its output limit. */
  readonly tooLong: LeftOut;
  /** Requests that fit but need an ability that the model lacks. */
  readonly unable: LeftOut & { readonly lacks: readonly string[] };
}

/** Adds up requests as each of the models would have charged them. Exact, with the rules of `price.ts`. */
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
  /** The part of each price below a full nano-USD, in pico-USD. */
  readonly beyond: readonly number[];
  readonly counts: number[];
}

/**
 * Token counts are added up and priced once at the end. How much rounding adds to each request follows from the remainders alone.
 * They are small integers, so no single request needs bigint multiplication.
 */
function getTally({ model, price, contextLength, maxOutputTokens, abilities }: Candidate) {
  const sumsFor = (rates: Rates): Sums => {
    const prices = lineRates(price, rates);
    return { rates, prices, beyond: prices.map((pico) => Number(pico % 1000n)), counts: prices.map(() => 0) };
  };
  const base = sumsFor(price);
  const sums = [base, ...price.tiers.map(sumsFor)];
  const sumsByRates = new Map(sums.map((sum) => [sum.rates, sum]));
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
      const sum = sumsByRates.get(ratesFor(price, request.promptTokens)) ?? base;
      const counts = lineCounts(sum.rates, request);
      let remainder = 0;
      for (let index = 0; index < counts.length; index += 1) {
        const count = counts[index] ?? 0;
        sum.counts[index] = (sum.counts[index] ?? 0) + count;
        remainder += count * (sum.beyond[index] ?? 0);
      }
      roundedUp += (1000 - (remainder % 1000)) % 1000;
      requests += 1;
      actual += request.costNano;
    },

    result(): Repriced {
      const exact = sums.reduce(
        (all, { counts, prices }) =>
          all + counts.reduce((sum, count, index) => sum + BigInt(count) * (prices[index] ?? 0n), 0n),
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
