import { type NanoUsd, nanoUsd } from '#shared/money.ts';
import type { TokenUsage } from '#shared/price.ts';
import { tokensOfBytes, tokensPerMadeImage } from '../../providers/content/estimate-tokens.ts';
import type { Bill, ProviderEvent } from '../../providers/provider.ts';
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
  /** The answer is whole, and all of it is counted. */
  readonly countedWhole: boolean;
  /** Output so far: the larger of what was reported and what was seen. */
  readonly outputTokens: number;
  /** The upstream's own count of a complete answer, or the estimate where it gave none. */
  complete(): Metered;
  /** Usage of an answer that was broken off: as it was billed, else what was reported, completed by the estimate (§1.4.7). */
  partial(): Metered;
  /** The most that an estimated usage may truly be; null where it was counted. */
  atMost(metered: Metered): TokenUsage | null;
  /** The same usage, as far as it is set aside for. */
  withinHold(metered: Metered): Metered;
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
const maxReported = 1_000_000_000_000n;

/** Without limits every count is believed. `cachedShare`: the part of the input that the provider is expected to have kept. */
export const createMeter = (estimatedInputTokens: number, limits: UsageLimits | null = null, cachedShare = 0): Meter =>
  new AttemptMeter(estimatedInputTokens, limits, cachedShare);

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
  #finished = false;
  readonly #cachedShare: number;

  constructor(estimatedInputTokens: number, limits: UsageLimits | null, cachedShare: number) {
    this.#inputTokens = estimatedInputTokens;
    this.#limits = limits;
    this.#cachedShare = cachedShare;
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
        break;
      case 'finish':
        this.#finished = true;
    }
  }

  settle(bill: Bill): void {
    this.#report(bill);
    this.#billed = counted(bill.usage);
  }

  #report({ usage, cost }: Extract<ProviderEvent, { type: 'usage' }>): void {
    if (counted(usage)) this.#reported = usage;
    if (cost !== undefined) this.#reportedCost = cost < maxReported ? cost : nanoUsd(maxReported);
  }

  get counted(): boolean {
    return this.#reported !== null;
  }

  get countedWhole(): boolean {
    return this.#finished && this.#reported !== null;
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
    if (this.#billed || this.#finished) return this.complete();
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

  /**
   * What an answer that was broken off has used: what was seen, or what the model was allowed to think unseen where that is more;
   * no more than the answer was allowed to have.
   */
  #seenAtMost(): number {
    const limits = this.#limits;
    if (!limits) return this.#seen();
    const { hidden } = limits;
    const thought = this.#finished || (hidden.isShown && this.#reasoningBytes > 0) ? 0 : hidden.tokens;
    return Math.min(Math.max(this.#seen(), thought), limits.outputTokens);
  }

  #estimated(): Metered {
    const completionTokens = this.#seenAtMost();
    const promptTokens = Math.min(this.#inputTokens, this.#limits?.inputTokens ?? this.#inputTokens);
    const unseen = Math.max(0, completionTokens - this.#seen());
    const usage = {
      promptTokens,
      completionTokens,
      reasoningTokens: Math.min(completionTokens, tokensOfBytes(this.#reasoningBytes) + unseen),
      cachedTokens: Math.floor(promptTokens * this.#cachedShare),
      cacheWriteTokens: 0,
      ...this.#searchedAtLeast(0),
      ...this.#madeAtLeast(0, completionTokens),
    };
    return { usage, estimated: true, reportedCost: null };
  }

  /** What was seen to begin counts also where the upstream has not counted it yet. */
  #searchedAtLeast(reported: number): Pick<TokenUsage, 'searches'> {
    const searches = Math.min(Math.max(reported, this.#searches), this.#limits?.searches ?? Infinity);
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
    if (completionTokens > limits.outputTokens || searches > limits.searches) return false;
    return promptTokens <= limits.inputTokens || promptTokens <= limits.maxInputTokens();
  }

  /** What was counted, as far as it can be: a count that cannot be is taken for no more than was held. */
  #believed(usage: TokenUsage): Pick<Metered, 'usage' | 'unbelieved'> {
    const limits = this.#limits;
    if (!limits || this.#canBe(usage)) return { usage: classesWithin(usage) };
    const outputTokens = Math.min(limits.outputTokens, Math.max(limits.disbelievedOutputTokens, this.#seen()));
    const inputTokens = Math.min(limits.inputTokens, this.#inputTokens);
    return { usage: cut(usage, inputTokens, outputTokens, limits.searches), unbelieved: usage };
  }

  /** No tokenizer makes more than a token of a byte; of hidden thinking only the longest answer is certain. */
  atMost({ usage, estimated, unbelieved }: Metered): TokenUsage | null {
    const limits = this.#limits;
    if (!limits || !estimated || unbelieved || this.#finished) return null;
    const isHidden = limits.hidden.tokens > 0 && !(limits.hidden.isShown && this.#reasoningBytes > 0);
    const output = isHidden
      ? limits.outputTokens
      : this.#bytes + this.#reasoningBytes + this.#images * tokensPerMadeImage;
    const completionTokens = Math.max(usage.completionTokens, Math.min(limits.outputTokens, output));
    return { ...usage, completionTokens, cachedTokens: this.#reported ? usage.cachedTokens : 0 };
  }

  withinHold(metered: Metered): Metered {
    const limits = this.#limits;
    if (!limits) return metered;
    const { usage } = metered;
    const held = cut(usage, limits.inputTokens, limits.heldOutputTokens, limits.searches);
    return { ...metered, usage: held, unbelieved: metered.unbelieved ?? usage, estimated: true };
  }
}

/** A count that is taken for no more than this: of its classes none that is dearer than plain tokens is certain. */
function cut(usage: TokenUsage, inputTokens: number, outputTokens: number, searches: number): TokenUsage {
  const { promptTokens, completionTokens, cachedTokens, reasoningTokens, imageTokens = 0 } = usage;
  return classesWithin({
    promptTokens: Math.min(promptTokens, inputTokens),
    completionTokens: Math.min(completionTokens, outputTokens),
    cachedTokens,
    reasoningTokens,
    imageTokens,
    cacheWriteTokens: 0,
    searches: Math.min(usage.searches ?? 0, searches),
  });
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
