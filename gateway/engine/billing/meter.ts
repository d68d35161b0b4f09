import { type NanoUsd, nanoUsd } from '#shared/money.ts';
import type { TokenUsage } from '#shared/price.ts';
import type { CatalogueModel } from '../../models/catalogue/catalogue.ts';
import { tokensOfBytes, tokensPerMadeImage } from '../../providers/content/estimate-tokens.ts';
import {
  type BoundedInput,
  type InputBound,
  inputBound,
  inputTokenCeiling,
} from '../../providers/content/input-bound.ts';
import type { Bill, ProviderEvent } from '../../providers/provider.ts';
import { initialHold, maxSearches, type Reserve } from './reserve.ts';

export interface Metered {
  readonly usage: TokenUsage;
  readonly estimated: boolean;
  /** The cost of the complete answer as the upstream reported it. Null when it did not. */
  readonly reportedCost: NanoUsd | null;
  /** The provider was asked for this cost afterwards. */
  readonly isProviderBill?: boolean;
  /** An impossible count by the upstream. `usage` is then at most what the hold covers. */
  readonly unbelieved?: TokenUsage;
}

/** No answer costs a thousand dollars, and a larger number would only overflow the ledger. */
const maxReported = 1_000_000_000_000n;

/** Counts the tokens of one attempt while it runs: what the upstream reported, and what was seen to arrive. */
export class Meter {
  /** Some byte of an answer has arrived. */
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

  /** Without limits every count is believed. `cachedShare`: the share of the input that the provider probably has in its cache. */
  constructor(estimatedInputTokens: number, limits: UsageLimits | null = null, cachedShare = 0) {
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

  /** Takes the cost and count that the provider reports afterwards, for an answer that was broken off or not counted. */
  settle(bill: Bill): void {
    this.#report(bill);
    this.#billed = counted(bill.usage);
  }

  #report({ usage, cost }: Extract<ProviderEvent, { type: 'usage' }>): void {
    if (counted(usage)) this.#reported = usage;
    if (cost !== undefined) this.#reportedCost = cost < maxReported ? cost : nanoUsd(maxReported);
  }

  /** The upstream has reported a token count. */
  get counted(): boolean {
    return this.#reported !== null;
  }

  /** The answer is complete, and all of it is counted. */
  get isFullyCounted(): boolean {
    return this.#finished && this.#reported !== null;
  }

  /** Output so far: the larger of what was reported and what was seen. */
  get outputTokens(): number {
    const reported = this.#reported && this.#canBe(this.#reported) ? this.#reported.completionTokens : 0;
    return Math.max(reported, this.#seen());
  }

  /** The upstream's own count of a complete answer, or an estimate when it reported none. */
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

  /**
   * The usage of an answer that was broken off: as the provider reported it afterwards, else what it reported so far, completed by an
   * estimate (§1.4.7).
   */
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
   * Estimates the output of an answer that was broken off: what was seen, or what the model was allowed to think unseen if that is more,
   * but never more than the answer was allowed to have.
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

  /** A search that was seen in the stream counts even when the upstream has not counted it yet. */
  #searchedAtLeast(reported: number): Pick<TokenUsage, 'searches'> {
    const searches = Math.min(Math.max(reported, this.#searches), this.#limits?.searches ?? Infinity);
    return searches > 0 ? { searches } : {};
  }

  /** Images that were seen count even when the upstream has not counted them yet. */
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

  /** Returns a possible count as it is, and replaces an impossible one by at most what the hold covers. */
  #believed(usage: TokenUsage): Pick<Metered, 'usage' | 'unbelieved'> {
    const limits = this.#limits;
    if (!limits || this.#canBe(usage)) return { usage: classesWithin(usage) };
    const outputTokens = Math.min(limits.outputTokens, Math.max(limits.disbelievedOutputTokens, this.#seen()));
    const inputTokens = Math.min(limits.inputTokens, this.#inputTokens);
    return { usage: cut(usage, inputTokens, outputTokens, limits.searches), unbelieved: usage };
  }

  /**
   * The most that an estimated usage may really be. Null when the usage was counted. No tokenizer makes more than one token of a byte. For
   * hidden thinking, the only certain bound is the longest possible answer.
   */
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

  /** The part of the usage that the hold covers. */
  withinHold(metered: Metered): Metered {
    const limits = this.#limits;
    if (!limits) return metered;
    const { usage } = metered;
    const held = cut(usage, limits.inputTokens, limits.heldOutputTokens, limits.searches);
    return { ...metered, usage: held, unbelieved: metered.unbelieved ?? usage, estimated: true };
  }
}

/** Cuts a count to these limits. Its dearer classes of tokens are left out, because they are not certain. */
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

/** Keeps each class of tokens within its total, whatever was reported. */
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

/** Every request has input, so a count of nothing means a server that does not count, and not a free answer. */
const counted = ({ promptTokens, completionTokens }: TokenUsage) => promptTokens + completionTokens > 0;

/** The limits that an upstream's own count is checked against: how much is possible, and how much the hold covers. */
export interface UsageLimits {
  /** The longest answer that the upstream was allowed to give, in tokens. */
  readonly outputTokens: number;
  /** The output that the hold covers: the same, unless a vendor wants a larger limit than the caller's. */
  readonly heldOutputTokens: number;
  /** The input that the hold covers. */
  readonly inputTokens: number;
  /** How often the model may search the web. */
  readonly searches: number;
  /** At most this many output tokens are charged when a count is impossible. */
  readonly disbelievedOutputTokens: number;
  /** How much the model may have thought unseen, and whether all of its thinking is shown. */
  readonly hidden: HiddenThinking;
  /**
   * More input than any honest upstream counts. Computing it takes a pass over the request, so it is asked for only when the count exceeds
   * the hold.
   */
  maxInputTokens(): number;
}

export interface HiddenThinking {
  readonly tokens: number;
  readonly isShown: boolean;
}

/** For a model that does not think. */
export const nothingHidden: HiddenThinking = { tokens: 0, isShown: true };

/** The part of a request that limits how many tokens can be counted for it. */
interface BoundedRequest extends BoundedInput {
  readonly facts: { readonly features: { readonly webSearch: boolean } };
  readonly packed: { readonly inputBound: InputBound } | null;
  readonly maxTokens: number | null;
  readonly principal: { readonly plan: { readonly maxOutputTokens: number | null } };
}

/** Input tokens of one search when the model's context length is not known: each search is read together with all that was found before. */
const maxFound = 200_000;

/**
 * Returns the limits of a model's count for a request (docs/decisions/027). `askedTokens`: the output limit that the model is given, 0 when
 * it has none.
 */
export function usageLimits(
  request: BoundedRequest,
  model: CatalogueModel,
  reserve: Pick<Reserve, 'covered' | 'outputLimit'>,
  hidden: HiddenThinking,
  askedTokens: number,
): UsageLimits {
  const { maxTokens, principal } = request;
  const { input: inputTokens, output: heldOutputTokens } = reserve.covered;
  const searches = maxSearches(model, request.facts.features.webSearch);
  let maxInput: number | null = null;
  return {
    outputTokens: Math.max(heldOutputTokens, askedTokens),
    heldOutputTokens,
    inputTokens,
    searches,
    hidden,
    disbelievedOutputTokens:
      maxTokens ??
      reserve.outputLimit ??
      initialHold({ maxTokens, planMaxOutputTokens: principal.plan.maxOutputTokens }, model),
    maxInputTokens() {
      maxInput ??=
        inputTokenCeiling(request.packed?.inputBound ?? inputBound(request), model.contextLength) +
        searches * (model.contextLength ?? maxFound);
      return maxInput;
    },
  };
}
