import { type NanoUsd, nanoUsd } from '#shared/money.ts';
import type { TokenUsage } from '#shared/price.ts';
import { tokensOfBytes, tokensPerMadeImage } from '../content/estimate-tokens.ts';
import type { Bill, ProviderEvent } from '../providers/provider.ts';
import type { UsageLimits } from './usage-limits.ts';

/** Counts one attempt while it runs: what the upstream reported, and what was seen to arrive. */
export interface Meter {
  observe(event: ProviderEvent): void;
  /** Takes the provider's own bill of an answer that was broken off, or that it did not count. */
  settle(bill: Bill): void;
  /** Some byte of an answer has arrived. */
  readonly started: boolean;
  /** The upstream has counted something of it. */
  readonly counted: boolean;
  /** Output so far: the larger of what was reported and what was seen. */
  readonly outputTokens: number;
  /** The upstream's own count of a complete answer, or the estimate where it gave none. */
  complete(): Metered;
  /** Usage of an answer that was broken off: as it was billed, else what was reported, completed by the estimate (§1.4.7). */
  partial(): Metered;
}

export interface Metered {
  readonly usage: TokenUsage;
  readonly estimated: boolean;
  /** What the upstream itself said that the whole answer costs; null where it did not. */
  readonly reportedCost: NanoUsd | null;
  /** The cost is of the bill that the provider was asked for afterwards. */
  readonly isProviderBill?: boolean;
  /** What the upstream counted, where that cannot be: `usage` is then what was held for at most. */
  readonly unbelieved?: TokenUsage;
}

/** No answer costs a thousand dollars; more would only overflow the books. */
const mostReported = 1_000_000_000_000n;

/** Without limits every count is believed. */
export const createMeter = (estimatedInputTokens: number, limits: UsageLimits | null = null): Meter =>
  new AttemptMeter(estimatedInputTokens, limits);

class AttemptMeter implements Meter {
  started = false;
  readonly #inputTokens: number;
  readonly #limits: UsageLimits | null;
  #bytes = 0;
  #reasoningBytes = 0;
  #searches = 0;
  #images = 0;
  #reported: TokenUsage | null = null;
  #reportedCost: NanoUsd | null = null;
  #billed = false;

  constructor(estimatedInputTokens: number, limits: UsageLimits | null) {
    this.#inputTokens = estimatedInputTokens;
    this.#limits = limits;
  }

  observe(event: ProviderEvent): void {
    this.started = true;
    switch (event.type) {
      case 'text-delta':
      case 'refusal-delta':
        this.#bytes += Buffer.byteLength(event.text);
        break;
      case 'reasoning-delta':
        this.#reasoningBytes += Buffer.byteLength(event.text);
        break;
      case 'tool-call-start':
        this.#bytes += Buffer.byteLength(event.name);
        break;
      case 'tool-call-delta':
        this.#bytes += Buffer.byteLength(event.arguments);
        break;
      case 'search':
        this.#searches += 1;
        break;
      case 'image':
        this.#images += 1;
        break;
      case 'usage':
        this.#report(event);
    }
  }

  settle(bill: Bill): void {
    this.#report(bill);
    this.#billed = counted(bill.usage);
  }

  #report({ usage, cost }: Extract<ProviderEvent, { type: 'usage' }>): void {
    if (counted(usage)) this.#reported = usage;
    if (cost !== undefined) this.#reportedCost = cost < mostReported ? cost : nanoUsd(mostReported);
  }

  get counted(): boolean {
    return this.#reported !== null;
  }

  get outputTokens(): number {
    const reported = this.#reported && this.#canBe(this.#reported) ? this.#reported.completionTokens : 0;
    return Math.max(reported, this.#seen());
  }

  complete(): Metered {
    if (!this.#reported) return this.#estimated();
    const known = this.#believed(this.#reported);
    return {
      ...known,
      estimated: known.unbelieved !== undefined,
      reportedCost: this.#reportedCost,
      ...(this.#billed ? { isProviderBill: true } : {}),
    };
  }

  partial(): Metered {
    if (!this.#reported) return this.#estimated();
    if (this.#billed) return this.complete();
    const known = this.#believed(this.#reported);
    const completionTokens = Math.max(known.usage.completionTokens, this.#seenAtMost());
    return {
      ...known,
      usage: {
        ...known.usage,
        completionTokens,
        ...this.#searchedAtLeast(known.usage.searches ?? 0),
        ...this.#madeAtLeast(known.usage.imageTokens ?? 0, completionTokens),
      },
      estimated: known.unbelieved !== undefined || completionTokens !== this.#reported.completionTokens,
      reportedCost: null,
    };
  }

  #seen(): number {
    return tokensOfBytes(this.#bytes + this.#reasoningBytes) + this.#images * tokensPerMadeImage;
  }

  /** The estimate knows as little of hidden ends as of tokens: it goes no further than the answer was allowed to. */
  #seenAtMost(): number {
    const limits = this.#limits;
    const seen = this.#seen();
    return limits && seen > limits.heldOutput() ? Math.min(seen, limits.most().outputTokens) : seen;
  }

  #estimated(): Metered {
    const completionTokens = this.#seenAtMost();
    const usage = {
      promptTokens: this.#inputTokens,
      completionTokens,
      reasoningTokens: Math.min(completionTokens, tokensOfBytes(this.#reasoningBytes)),
      cachedTokens: 0,
      cacheWriteTokens: 0,
      ...this.#searchedAtLeast(0),
      ...this.#madeAtLeast(0, completionTokens),
    };
    return { usage, estimated: true, reportedCost: null };
  }

  /** What was seen to begin counts also where the upstream has not counted it yet. */
  #searchedAtLeast(reported: number): Pick<TokenUsage, 'searches'> {
    const searches = Math.min(Math.max(reported, this.#searches), this.#limits?.most().searches ?? Infinity);
    return searches > 0 ? { searches } : {};
  }

  /** Images that were seen count also where the upstream has not counted them yet. */
  #madeAtLeast(reported: number, completionTokens: number): Pick<TokenUsage, 'imageTokens'> {
    const imageTokens = Math.min(completionTokens, Math.max(reported, this.#images * tokensPerMadeImage));
    return imageTokens > 0 ? { imageTokens } : {};
  }

  #canBe({ promptTokens, completionTokens, searches = 0 }: TokenUsage): boolean {
    const limits = this.#limits;
    if (!limits) return true;
    if (promptTokens <= this.#inputTokens && completionTokens <= limits.heldOutput() && searches === 0) return true;
    const most = limits.most();
    return promptTokens <= most.inputTokens && completionTokens <= most.outputTokens && searches <= most.searches;
  }

  /** What was counted, as far as it can be: a count that cannot be is taken for no more than was held. */
  #believed(usage: TokenUsage): Pick<Metered, 'usage' | 'unbelieved'> {
    if (this.#canBe(usage)) return { usage: classesWithin(usage) };
    const { promptTokens, completionTokens, cachedTokens, reasoningTokens, imageTokens = 0 } = usage;
    const held = {
      promptTokens: Math.min(promptTokens, this.#inputTokens),
      completionTokens: Math.min(completionTokens, this.#limits?.heldOutput() ?? completionTokens),
      cachedTokens,
      reasoningTokens,
      imageTokens,
      cacheWriteTokens: 0,
      searches: Math.min(usage.searches ?? 0, this.#limits?.most().searches ?? 0),
    };
    return { usage: classesWithin(held), unbelieved: usage };
  }
}

/** Classes are parts of the two totals, whatever was said of them. */
function classesWithin(usage: TokenUsage): TokenUsage {
  const { promptTokens, completionTokens, cacheWriteHourTokens, audioTokens, imageTokens, searches } = usage;
  const cachedTokens = Math.min(usage.cachedTokens, promptTokens);
  const cacheWriteTokens = Math.min(usage.cacheWriteTokens, promptTokens - cachedTokens);
  return {
    promptTokens,
    completionTokens,
    cachedTokens,
    cacheWriteTokens,
    reasoningTokens: Math.min(usage.reasoningTokens, completionTokens),
    ...(cacheWriteHourTokens ? { cacheWriteHourTokens: Math.min(cacheWriteHourTokens, cacheWriteTokens) } : {}),
    ...(audioTokens ? { audioTokens: Math.min(audioTokens, promptTokens) } : {}),
    ...(imageTokens ? { imageTokens: Math.min(imageTokens, completionTokens) } : {}),
    ...(searches ? { searches } : {}),
  };
}

/** No request is without input: a count of nothing at all is a server that does not count, not a free answer. */
const counted = ({ promptTokens, completionTokens }: TokenUsage) => promptTokens + completionTokens > 0;
