import { AppError } from '#shared/errors.ts';
import { mostNano, type NanoUsd, nanoUsd, type PicoUsd, parseUsd, picoUsd } from '#shared/money.ts';
import type { Rates } from '#shared/price.ts';
import type { CatalogueModel } from '../catalogue/catalogue.ts';
import { tokensPerSearch } from '../content/estimate-tokens.ts';
import { shareOf, wholeBps } from '../ledger/byok-fee.ts';
import type { Ledger } from '../ledger/ledger.ts';

/** How many output tokens are reserved at a time where the caller set no limit (wire contract §2.7). */
const stepTokens = 4_096;

export interface ReserveInput extends Omit<Extent, 'outputTokens'> {
  readonly requestId: string;
  readonly maxTokens: number | null;
  readonly planMaxOutputTokens: number | null;
  /** What the operator asks of the upstream's cost where it runs on the caller's own key, in basis points; else null. */
  readonly byokFeeBps: number | null;
}

/** The money set aside for one request; it grows before the answer outgrows it. */
export interface Reserve {
  /** What has to be held before a model is asked. */
  firstAmount(model: CatalogueModel): NanoUsd;
  /** What the model's longest answer may cost; null where nobody knows how long that is. */
  longestAmount(model: CatalogueModel): NanoUsd | null;
  /** Says what was held of the two: the first amount, or that of the longest answer. */
  opened(model: CatalogueModel, amount: NanoUsd): void;
  /** Makes the reserve large enough for another, dearer model. False where the balance, or a limit of that model, cannot cover it. */
  cover(model: CatalogueModel): Promise<boolean>;
  /** What is set aside covers the longest answer of the model that is asked. */
  readonly coversLongest: boolean;
  /** No answer of the model that is asked can become longer than what is set aside for. */
  readonly isEnough: boolean;
  /** How much output is set aside for, the longest answer apart: an upstream that says more has to be looked at. */
  readonly coveredTokens: number;
  /** What is set aside for so much. */
  readonly held: NanoUsd;
  /** Sets the next step aside. False where the balance cannot cover it. */
  grow(model: CatalogueModel): Promise<boolean>;
}

/** What the reserve of a request depends on. */
interface Reservable {
  readonly requestId: string;
  readonly maxTokens: number | null;
  readonly principal: { readonly plan: { readonly maxOutputTokens: number | null } };
  readonly byoKey: object | null;
}

/** What is to be reserved for a question whose input is known. */
export const reserveInput = (
  { requestId, maxTokens, principal, byoKey }: Reservable,
  { inputTokens, audio, promptCache, webSearch }: Omit<Extent, 'outputTokens'>,
  byokFeeBps: number,
): ReserveInput => ({
  requestId,
  maxTokens,
  inputTokens,
  audio,
  promptCache,
  webSearch,
  planMaxOutputTokens: principal.plan.maxOutputTokens,
  byokFeeBps: byoKey === null ? null : byokFeeBps,
});

/** How many output tokens are paid for at first. */
export const firstStep = ({ maxTokens, planMaxOutputTokens }: ReserveInput, { maxOutputTokens }: CatalogueModel) =>
  maxTokens ?? Math.min(stepTokens, maxOutputTokens ?? stepTokens, planMaxOutputTokens ?? stepTokens);

/** What has to be held before this model is asked (wire contract §2.7). */
export const firstHold = (input: ReserveInput, model: CatalogueModel): NanoUsd =>
  amountFor(input, model, firstStep(input, model));

/** The longest answer that can come, in tokens; null where neither the caller, the plan nor the catalogue says it. */
export const longestAnswer = (
  { maxTokens, planMaxOutputTokens }: Pick<ReserveInput, 'maxTokens' | 'planMaxOutputTokens'>,
  model: CatalogueModel,
): number | null =>
  maxTokens ??
  (model.maxOutputTokens === null && planMaxOutputTokens === null
    ? null
    : Math.min(model.maxOutputTokens ?? Number.POSITIVE_INFINITY, planMaxOutputTokens ?? Number.POSITIVE_INFINITY));

/** The most that is charged for so much output: the whole cost, or the fee on the caller's own key. */
const amountFor = (input: ReserveInput, model: CatalogueModel, outputTokens: number): NanoUsd =>
  input.byokFeeBps === 0
    ? nanoUsd(0n)
    : atMost(shareOf(highestCost(model, { ...input, outputTokens }) ?? picoUsd(0n), input.byokFeeBps ?? wholeBps));

/** Half of what the books can hold: beside what else is used and held, a sum stays within 64 bits, and no balance covers it. */
const mostHeld = nanoUsd(mostNano / 2n);
const atMost = (amount: NanoUsd): NanoUsd => (amount > mostHeld ? mostHeld : amount);

export const createReserve = (input: ReserveInput, ledger: Pick<Ledger, 'extend'>): Reserve =>
  new RequestReserve(input, ledger);

class RequestReserve implements Reserve {
  coversLongest = false;
  coveredTokens = 0;
  readonly #input: ReserveInput;
  readonly #ledger: Pick<Ledger, 'extend'>;
  #held = 0n;
  #believed: bigint | null = null;
  /** The model that it is held for. */
  #asked: CatalogueModel | null = null;
  /** What was worked out last, and for which model. */
  #amounts: { readonly model: CatalogueModel; readonly first: NanoUsd; readonly longest: NanoUsd | null } | null = null;

  constructor(input: ReserveInput, ledger: Pick<Ledger, 'extend'>) {
    this.#input = input;
    this.#ledger = ledger;
  }

  firstAmount(model: CatalogueModel): NanoUsd {
    return this.#amountsFor(model).first;
  }

  longestAmount(model: CatalogueModel): NanoUsd | null {
    return this.#amountsFor(model).longest;
  }

  #amountsFor(model: CatalogueModel) {
    if (this.#amounts?.model === model) return this.#amounts;
    const input = this.#input;
    const [step, most] = [firstStep(input, model), longestAnswer(input, model)];
    const first = amountFor(input, model, step);
    const longest = most === null ? null : most === step ? first : amountFor(input, model, most);
    this.#amounts = { model, first, longest };
    return this.#amounts;
  }

  opened(model: CatalogueModel, amount: NanoUsd): void {
    const { first, longest } = this.#amountsFor(model);
    this.#held = amount;
    this.#asked = model;
    this.coversLongest = longest !== null && amount >= longest;
    this.coveredTokens = firstStep(this.#input, model);
    this.#believed = this.coversLongest ? first : null;
  }

  cover(model: CatalogueModel): Promise<boolean> {
    this.coveredTokens = firstStep(this.#input, model);
    this.coversLongest = false;
    this.#believed = null;
    return this.#raiseTo(this.firstAmount(model), model);
  }

  get isEnough(): boolean {
    return this.coversLongest || this.#input.maxTokens !== null;
  }

  get held(): NanoUsd {
    return nanoUsd(this.#believed ?? this.#held);
  }

  grow(model: CatalogueModel): Promise<boolean> {
    this.coveredTokens += stepTokens;
    return this.#raiseTo(amountFor(this.#input, model, this.coveredTokens));
  }

  async #raiseTo(amount: NanoUsd, model = this.#asked): Promise<boolean> {
    if (amount <= this.#held && model === this.#asked) return true;
    const more = await this.#ledger.extend(this.#input.requestId, amount, model ?? undefined);
    if (!more) return false;
    this.#held = amount > this.#held ? amount : this.#held;
    this.#asked = model;
    return true;
  }
}

/** Adds to a refusal for lack of credit how long an answer the balance would cover (wire contract §2.7). */
export function withAffordableTokens(error: unknown, input: ReserveInput, model: CatalogueModel): unknown {
  const available = error instanceof AppError ? error.details?.available_usd : undefined;
  if (!(error instanceof AppError) || !model.price || typeof available !== 'string') return error;
  const affordable = longestFor(parseUsd(available), input, model);
  const hint = affordable > 0 ? ` The largest "max_tokens" the balance covers is ${affordable}.` : '';
  return new AppError(error.code, `${error.message}${hint}`, {
    details: { ...error.details, affordable_max_tokens: affordable },
    cause: error,
  });
}

/** How much output an amount covers: what was refused is more than that. */
function longestFor(available: NanoUsd, input: ReserveInput, model: CatalogueModel): number {
  let covered = 0;
  let refused = firstStep(input, model);
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
  const searches = mostSearches(model, extent.webSearch);
  const inputTokens = extent.inputTokens + searches * tokensPerSearch;
  const reached: readonly Rates[] = [price, ...price.tiers.filter((tier) => tier.minPromptTokens < inputTokens)];
  const sums = reached.map(
    (rates) => BigInt(inputTokens) * inputRate(rates, model, extent) + BigInt(extent.outputTokens) * outputRate(rates),
  );
  return picoUsd(most(...sums) + price.request + BigInt(searches) * (price.search ?? 0n));
}

/** How often it may search for a request that lets it. */
export const mostSearches = ({ facts, capabilities }: CatalogueModel, webSearch: boolean): number =>
  webSearch && capabilities.includes('web_search') ? (facts?.webSearch?.most ?? 1) : 0;

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
