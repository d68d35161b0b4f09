import { AppError } from '#shared/errors.ts';
import { maxNano, type NanoUsd, nanoUsd, type PicoUsd, parseUsd, picoUsd } from '#shared/money.ts';
import type { Rates } from '#shared/price.ts';
import { getShare, wholeBps } from '../../ledger/byok-fee.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { CatalogueModel } from '../../models/catalogue/catalogue.ts';
import { tokensPerSearch } from '../../providers/content/estimate-tokens.ts';
import { type InputSize, maxInputTokens } from '../../providers/content/input-size.ts';

/** The length of answer that must be paid for when the caller set no limit (wire contract §2.7). */
const stepTokens = 4_096;
/** The longest answer when neither the caller, the plan nor the catalogue limits it. */
const unboundedAnswer = 1_000_000;

export interface ReserveInput {
  readonly requestId: string;
  readonly maxTokens: number | null;
  readonly planMaxOutputTokens: number | null;
  /** The largest size that the input can have. */
  readonly inputSize: InputSize;
  readonly audio: boolean;
  readonly promptCache: Extent['promptCache'];
  readonly webSearch: boolean;
  /** The operator's fee on the caller's own key, in basis points of the upstream's cost. Null without such a key. */
  readonly byokFeeBps: number | null;
  /** The caller's own limit for this request (`max_cost_usd`). */
  readonly maxCost: NanoUsd | null;
}

interface HoldAmounts {
  readonly model: CatalogueModel;
  /** The smallest amount that must be held before the model is called. */
  readonly min: NanoUsd;
  /** The amount that covers the longest answer, and how many tokens that answer has. */
  readonly max: NanoUsd;
  readonly longest: number;
}

interface CoveredTokens {
  readonly input: number;
  readonly output: number;
}

/** The part of a request that its hold depends on. */
interface Reservable {
  readonly requestId: string;
  readonly maxTokens: number | null;
  readonly principal: { readonly plan: { readonly maxOutputTokens: number | null } };
  readonly byoKey: object | null;
  readonly route?: { readonly max_cost_usd?: string | undefined };
}

/** Returns what the hold of a request is computed from, once its input is known. */
export const reserveInput = (
  { requestId, maxTokens, principal, byoKey, route }: Reservable,
  { inputSize, audio, promptCache, webSearch }: Pick<ReserveInput, 'inputSize' | 'audio' | 'promptCache' | 'webSearch'>,
  byokFeeBps: number,
): ReserveInput => ({
  requestId,
  maxTokens,
  inputSize,
  audio,
  promptCache,
  webSearch,
  planMaxOutputTokens: principal.plan.maxOutputTokens,
  byokFeeBps: byoKey === null ? null : byokFeeBps,
  maxCost: route?.max_cost_usd === undefined ? null : parseUsd(route.max_cost_usd),
});

/** The number of output tokens that must be covered before a model is asked. */
export const initialHold = (
  { maxTokens, planMaxOutputTokens }: Pick<ReserveInput, 'maxTokens' | 'planMaxOutputTokens'>,
  { maxOutputTokens }: CatalogueModel,
) => {
  const usual = maxTokens ?? stepTokens;
  return Math.min(usual, maxOutputTokens ?? usual, planMaxOutputTokens ?? usual);
};

/** The amount that must be held before this model is asked (wire contract §2.7). */
export const firstHold = (input: ReserveInput, model: CatalogueModel): NanoUsd =>
  amountFor(input, model, initialHold(input, model));

/** The longest possible answer in tokens. Null when neither the caller, the plan nor the catalogue limits it. */
export const knownMaxAnswer = (
  { maxTokens, planMaxOutputTokens }: Pick<ReserveInput, 'maxTokens' | 'planMaxOutputTokens'>,
  model: CatalogueModel,
): number | null => {
  const limits = [maxTokens, model.maxOutputTokens, planMaxOutputTokens].filter((limit) => limit !== null);
  return limits.length === 0 ? null : Math.min(...limits);
};

/** The longest possible answer. Without a known limit it is the model's context. */
const maxAnswer = (input: ReserveInput, model: CatalogueModel): number =>
  knownMaxAnswer(input, model) ?? model.contextLength ?? unboundedAnswer;

/** The longest answer that this request may have: the caller's `max_cost_usd` may allow less than the model gives. */
function allowedAnswer(input: ReserveInput, model: CatalogueModel): number {
  const most = maxAnswer(input, model);
  const { maxCost } = input;
  if (maxCost === null || input.maxTokens !== null) return most;
  const withoutOwnKey = { ...input, byokFeeBps: null };
  if (amountFor(withoutOwnKey, model, most) <= maxCost) return most;
  return Math.max(initialHold(input, model), maxFor(maxCost, withoutOwnKey, model, most));
}

/**
 * Half of what the ledger can hold: together with everything else that is used and held, a sum stays within 64 bits, and no balance covers
 * it.
 */
const maxHeld = nanoUsd(maxNano / 2n);

/** The most that is charged for this much output: the complete cost, or the fee on the caller's own key. */
function amountFor(input: ReserveInput, model: CatalogueModel, outputTokens: number): NanoUsd {
  if (input.byokFeeBps === 0) return nanoUsd(0n);
  const { inputSize, audio, promptCache, webSearch, byokFeeBps } = input;
  const inputTokens = maxInputTokens(inputSize, model);
  const cost = highestCost(model, { inputTokens, audio, promptCache, webSearch, outputTokens }) ?? picoUsd(0n);
  const amount = getShare(cost, byokFeeBps ?? wholeBps);
  return amount > maxHeld ? maxHeld : amount;
}

/** The money that is held for one request. No answer that the model is allowed to give costs more. */
export class Reserve {
  /** The limit of output tokens that the model is given because no more are covered. Null when the longest answer is covered. */
  outputLimit: number | null = null;
  readonly #input: ReserveInput;
  readonly #ledger: Pick<Ledger, 'extend'>;
  #held = 0n;
  /** The model that the hold is for. */
  #asked: CatalogueModel | null = null;
  /** The amounts that were computed last. */
  #known: HoldAmounts | null = null;

  constructor(input: ReserveInput, ledger: Pick<Ledger, 'extend'>) {
    this.#input = input;
    this.#ledger = ledger;
  }

  amounts(model: CatalogueModel): HoldAmounts {
    if (this.#known?.model === model) return this.#known;
    const input = this.#input;
    const [shortest, longest] = [initialHold(input, model), allowedAnswer(input, model)];
    const min = amountFor(input, model, shortest);
    const max = longest === shortest ? min : amountFor(input, model, longest);
    this.#known = { model, longest, min, max };
    return this.#known;
  }

  /** Notes how much was held. */
  opened(model: CatalogueModel, amount: NanoUsd): void {
    this.#held = amount;
    this.#begin(model);
  }

  /**
   * Makes the hold large enough for another model; what was held for an earlier one stays held. False when the balance, or a limit of that
   * model, does not cover it.
   */
  async cover(model: CatalogueModel): Promise<boolean> {
    const { min, max } = this.amounts(model);
    for (const amount of [max, nanoUsd(max / 2n), nanoUsd(max / 4n), nanoUsd(max / 8n), min]) {
      if (amount < min || !(await this.#raise(amount, model))) continue;
      this.#begin(model);
      return true;
    }
    return false;
  }

  /** How many input and output tokens of the model that is asked are covered by the hold. */
  get covered(): CoveredTokens {
    const model = this.#asked;
    if (!model) return { input: 0, output: 0 };
    const searches = maxSearches(model, this.#input.webSearch);
    return {
      input: maxInputTokens(this.#input.inputSize, model) + searches * tokensPerSearch,
      output: this.outputLimit ?? maxAnswer(this.#input, model),
    };
  }

  get held(): NanoUsd {
    return nanoUsd(this.#held);
  }

  /** Raises the hold to this total. False when the balance, a limit or `max_cost_usd` doesn't cover it. */
  async raise(to: NanoUsd): Promise<boolean> {
    return to <= (this.#input.maxCost ?? to) && this.#raise(to, this.#asked);
  }

  /** Decides how long an answer the model may give. */
  #begin(model: CatalogueModel): void {
    this.#asked = model;
    if (this.#input.maxTokens !== null) return;
    const { longest, max } = this.amounts(model);
    const tokens = this.#held >= max ? longest : maxFor(this.held, this.#input, model, longest);
    this.outputLimit = tokens < maxAnswer(this.#input, model) ? tokens : null;
  }

  async #raise(amount: NanoUsd, model: CatalogueModel | null): Promise<boolean> {
    if (amount <= this.#held && model === this.#asked) return true;
    const isRaised = await this.#ledger.extend(this.#input.requestId, amount, model ?? undefined);
    if (isRaised && amount > this.#held) this.#held = amount;
    return isRaised;
  }
}

/** Adds to a refusal for lack of credit how many tokens of an answer the balance would cover (wire contract §2.7). */
export function withAffordableTokens(error: unknown, input: ReserveInput, model: CatalogueModel): unknown {
  const available = error instanceof AppError ? error.details?.available_usd : undefined;
  if (!(error instanceof AppError) || !model.price || typeof available !== 'string') return error;
  const affordable = maxFor(parseUsd(available), input, model, initialHold(input, model));
  const hint = affordable > 0 ? ` The largest "max_tokens" the balance covers is ${affordable}.` : '';
  return new AppError(error.code, `${error.message}${hint}`, {
    details: { ...error.details, affordable_max_tokens: affordable },
    cause: error,
  });
}

/** How many output tokens an amount covers, when it does not cover `tooMany`. */
function maxFor(available: NanoUsd, input: ReserveInput, model: CatalogueModel, tooMany: number): number {
  let covered = 0;
  let refused = tooMany;
  while (refused - covered > 1) {
    const middle = Math.floor((covered + refused) / 2);
    if (amountFor(input, model, middle) <= available) covered = middle;
    else refused = middle;
  }
  return covered;
}

/** How much a request may use, and of what kinds. */
export interface Extent {
  readonly inputTokens: number;
  readonly audio: boolean;
  /** How long the parts that the request marks shall stay in the provider's prompt cache. Null when it marks nothing. */
  readonly promptCache: '5m' | '1h' | null;
  /** Whether the model may search the web, up to its maximum number of searches. */
  readonly webSearch: boolean;
  readonly outputTokens: number;
}

/**
 * The highest cost before rounding of a request that stays within its extent: each token at the dearest rate that may apply, in the dearest
 * tier that the input reaches (wire contract §2.7). Null when no price is known.
 */
export function highestCost(model: CatalogueModel, extent: Extent): PicoUsd | null {
  const { price } = model;
  if (!price) return null;
  const searches = maxSearches(model, extent.webSearch);
  const inputTokens = extent.inputTokens + searches * tokensPerSearch;
  const reached: readonly Rates[] = [price, ...price.tiers.filter((tier) => tier.minPromptTokens < inputTokens)];
  const sums = reached.map(
    (rates) => BigInt(inputTokens) * inputRate(rates, model, extent) + BigInt(extent.outputTokens) * outputRate(rates),
  );
  return picoUsd(most(...sums) + price.request + BigInt(searches) * (price.search ?? 0n));
}

/** How often a model may search for a request that allows it. */
export const maxSearches = ({ facts, capabilities }: CatalogueModel, webSearch: boolean): number =>
  webSearch && capabilities.includes('web_search') ? (facts?.webSearch?.max ?? 1) : 0;

function most(...amounts: readonly bigint[]): bigint {
  let found = 0n;
  for (const amount of amounts) if (amount > found) found = amount;
  return found;
}

const outputRate = ({ completion, reasoning, outputImage }: Rates): bigint =>
  most(completion, reasoning ?? 0n, outputImage ?? 0n);

function inputRate(rates: Rates, model: CatalogueModel, { audio, promptCache }: Extent): bigint {
  const { prompt, cacheRead, cacheWrite, cacheWriteHour, inputAudio } = rates;
  return most(
    prompt,
    cacheRead ?? 0n,
    audio ? (inputAudio ?? 0n) : 0n,
    promptCache !== null || writesUnasked(model) ? (cacheWrite ?? 0n) : 0n,
    promptCache === '1h' ? (cacheWriteHour ?? 2n * prompt) : 0n,
  );
}

/** Anthropic writes to its cache only what a request marks. Other providers that charge for cache writes decide themselves. */
const writesUnasked = ({ provider }: CatalogueModel) => provider !== 'anthropic';
