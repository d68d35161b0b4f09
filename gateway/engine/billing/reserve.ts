import { AppError } from '#shared/errors.ts';
import { maxNano, type NanoUsd, nanoUsd, type PicoUsd, parseUsd, picoUsd } from '#shared/money.ts';
import type { Rates } from '#shared/price.ts';
import { getShare, wholeBps } from '../../ledger/byok-fee.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { CatalogueModel } from '../../models/catalogue/catalogue.ts';
import { tokensPerSearch } from '../../providers/content/estimate-tokens.ts';
import { type InputSize, maxInputTokens } from '../../providers/content/input-size.ts';

/** The shortest answer that is paid for where the caller set no limit (wire contract §2.7). */
const stepTokens = 4_096;
/** Where neither the caller, the plan nor the catalogue says how long an answer may be. */
const unboundedAnswer = 1_000_000;

export interface ReserveInput {
  readonly requestId: string;
  readonly maxTokens: number | null;
  readonly planMaxOutputTokens: number | null;
  /** The input at the most. */
  readonly inputSize: InputSize;
  readonly audio: boolean;
  readonly promptCache: Extent['promptCache'];
  readonly webSearch: boolean;
  /** What the operator asks of the upstream's cost where it runs on the caller's own key, in basis points; else null. */
  readonly byokFeeBps: number | null;
  /** The caller's own limit for this request (`max_cost_usd`). */
  readonly maxCost: NanoUsd | null;
}

/** The money set aside for one request. No answer that the model is allowed to give costs more. */
export interface Reserve {
  /** What has to be held at the least before a model is asked, and what covers its longest answer. */
  amounts(model: CatalogueModel): HoldAmounts;
  /** Notes how much of the two is held. */
  opened(model: CatalogueModel, amount: NanoUsd): void;
  /** Makes the reserve large enough for another model. False where the balance, or a limit of that model, cannot cover it. */
  cover(model: CatalogueModel): Promise<boolean>;
  /**
   * How many output tokens the model has to be limited to, because no more of them are covered; null where the longest
   * answer is.
   */
  readonly outputLimit: number | null;
  /** How many input and output tokens of the model that is asked are paid for by what is set aside. */
  readonly covered: CoveredTokens;
  readonly held: NanoUsd;
  /** Sets this much aside in all. False where the balance, a limit or `max_cost_usd` doesn't cover it. */
  raise(to: NanoUsd): Promise<boolean>;
}

export interface HoldAmounts {
  readonly min: NanoUsd;
  readonly max: NanoUsd;
}

export interface CoveredTokens {
  readonly input: number;
  readonly output: number;
}

/** What the reserve of a request depends on. */
interface Reservable {
  readonly requestId: string;
  readonly maxTokens: number | null;
  readonly principal: { readonly plan: { readonly maxOutputTokens: number | null } };
  readonly byoKey: object | null;
  readonly route?: { readonly max_cost_usd?: string | undefined };
}

/** What is to be reserved for a question whose input is known. */
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

/** How many output tokens have to be paid for at the least. */
export const initialHold = (
  { maxTokens, planMaxOutputTokens }: Pick<ReserveInput, 'maxTokens' | 'planMaxOutputTokens'>,
  { maxOutputTokens }: CatalogueModel,
) => maxTokens ?? Math.min(stepTokens, maxOutputTokens ?? stepTokens, planMaxOutputTokens ?? stepTokens);

/** What has to be held before this model is asked (wire contract §2.7). */
export const firstHold = (input: ReserveInput, model: CatalogueModel): NanoUsd =>
  amountFor(input, model, initialHold(input, model));

/** The longest answer that can come, in tokens; null where neither the caller, the plan nor the catalogue says it. */
export const knownMaxAnswer = (
  { maxTokens, planMaxOutputTokens }: Pick<ReserveInput, 'maxTokens' | 'planMaxOutputTokens'>,
  model: CatalogueModel,
): number | null =>
  maxTokens ??
  (model.maxOutputTokens === null && planMaxOutputTokens === null
    ? null
    : Math.min(model.maxOutputTokens ?? Number.POSITIVE_INFINITY, planMaxOutputTokens ?? Number.POSITIVE_INFINITY));

/** The same; where nobody says it, what the model holds. */
const maxAnswer = (input: ReserveInput, model: CatalogueModel): number =>
  knownMaxAnswer(input, model) ?? model.contextLength ?? unboundedAnswer;

/** The longest answer that this request may have: the caller's `max_cost_usd` may allow less than the model gives. */
function allowedAnswer(input: ReserveInput, model: CatalogueModel): number {
  const most = maxAnswer(input, model);
  const { maxCost } = input;
  if (maxCost === null || input.maxTokens !== null) return most;
  const whole = { ...input, byokFeeBps: null };
  if (amountFor(whole, model, most) <= maxCost) return most;
  return Math.max(initialHold(input, model), maxFor(maxCost, whole, model, most));
}

/** The most that is charged for so much output: the whole cost, or the fee on the caller's own key. */
const amountFor = (input: ReserveInput, model: CatalogueModel, outputTokens: number): NanoUsd =>
  input.byokFeeBps === 0
    ? nanoUsd(0n)
    : atMost(
        getShare(
          highestCost(model, getExtent(input, model, outputTokens)) ?? picoUsd(0n),
          input.byokFeeBps ?? wholeBps,
        ),
      );

const getExtent = (input: ReserveInput, model: CatalogueModel, outputTokens: number): Extent => ({
  inputTokens: maxInputTokens(input.inputSize, model),
  audio: input.audio,
  promptCache: input.promptCache,
  webSearch: input.webSearch,
  outputTokens,
});

/** Half of what the books can hold: beside what else is used and held, a sum stays within 64 bits, and no balance covers it. */
const maxHeld = nanoUsd(maxNano / 2n);
const atMost = (amount: NanoUsd): NanoUsd => (amount > maxHeld ? maxHeld : amount);

export const createReserve = (input: ReserveInput, ledger: Pick<Ledger, 'extend'>): Reserve =>
  new RequestReserve(input, ledger);

class RequestReserve implements Reserve {
  outputLimit: number | null = null;
  readonly #input: ReserveInput;
  readonly #ledger: Pick<Ledger, 'extend'>;
  #held = 0n;
  /** The model that it is held for. */
  #asked: CatalogueModel | null = null;
  /** What was worked out last, and for which model. */
  #known: (HoldAmounts & { readonly model: CatalogueModel; readonly longest: number }) | null = null;

  constructor(input: ReserveInput, ledger: Pick<Ledger, 'extend'>) {
    this.#input = input;
    this.#ledger = ledger;
  }

  amounts(model: CatalogueModel): HoldAmounts {
    return this.#measure(model);
  }

  #measure(model: CatalogueModel) {
    if (this.#known?.model === model) return this.#known;
    const input = this.#input;
    const [shortest, longest] = [initialHold(input, model), allowedAnswer(input, model)];
    const min = amountFor(input, model, shortest);
    const max = longest === shortest ? min : amountFor(input, model, longest);
    this.#known = { model, longest, min, max };
    return this.#known;
  }

  opened(model: CatalogueModel, amount: NanoUsd): void {
    this.#held = amount;
    this.#begin(model);
  }

  /** What an earlier model had set aside stays so. */
  async cover(model: CatalogueModel): Promise<boolean> {
    const { min, max } = this.amounts(model);
    for (const amount of [max, nanoUsd(max / 2n), nanoUsd(max / 4n), nanoUsd(max / 8n), min]) {
      if (amount < min || !(await this.#raise(amount, model))) continue;
      this.#begin(model);
      return true;
    }
    return false;
  }

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

  async raise(to: NanoUsd): Promise<boolean> {
    return to <= (this.#input.maxCost ?? to) && this.#raise(to, this.#asked);
  }

  /** Decides how long an answer the model may give. */
  #begin(model: CatalogueModel): void {
    this.#asked = model;
    if (this.#input.maxTokens !== null) return;
    const { longest, max } = this.#measure(model);
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

/** Adds to a refusal for lack of credit how long an answer the balance would cover (wire contract §2.7). */
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

/** How much output an amount covers that is less than so many tokens cost. */
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
  /** How long what the request marks is to stay in the provider's prompt cache; null where it marks nothing. */
  readonly promptCache: '5m' | '1h' | null;
  /** The model may search the web, as often as it does at the most. */
  readonly webSearch: boolean;
  readonly outputTokens: number;
}

/**
 * The most that a model's price can make of a request which stays within its extent, before rounding: each token at the
 * dearest rate that may apply to it, in the dearest tier that the input reaches (wire contract §2.7). Null where no price
 * is known.
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

/** How often it may search for a request that lets it. */
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

/** Anthropic writes to its cache what a request marks; others that ask money for writing decide by themselves. */
const writesUnasked = ({ provider }: CatalogueModel) => provider !== 'anthropic';
