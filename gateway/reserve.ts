import { AppError } from '#shared/errors.ts';
import { type NanoUsd, nanoUsd, parseUsd } from '#shared/money.ts';
import { costOf, noTokens, type Price, ratesFor } from '#shared/price.ts';
import type { CatalogueModel } from './catalogue/catalogue.ts';
import type { Ledger } from './ledger/ledger.ts';

/** How many output tokens are reserved at a time where the caller set no limit (wire contract §2.7). */
const stepTokens = 4_096;

export interface ReserveInput {
  readonly requestId: string;
  readonly inputTokens: number;
  readonly maxTokens: number | null;
  readonly planMaxOutputTokens: number | null;
  readonly byok: boolean;
}

/** The money set aside for one request; it grows before the answer outgrows it. */
export interface Reserve {
  /** What has to be held before a model is asked. */
  firstAmount(model: CatalogueModel): NanoUsd;
  /** Makes the reserve large enough for another, dearer model. False where the balance cannot cover it. */
  cover(model: CatalogueModel): Promise<boolean>;
  /** Whether this much output is more than was set aside for. */
  exceededBy(outputTokens: number): boolean;
  /** Sets the next step aside. False where the balance cannot cover it. */
  grow(model: CatalogueModel): Promise<boolean>;
}

/** How many output tokens are paid for at first. */
export const firstStep = ({ maxTokens, planMaxOutputTokens }: ReserveInput, { maxOutputTokens }: CatalogueModel) =>
  maxTokens ?? Math.min(stepTokens, maxOutputTokens ?? stepTokens, planMaxOutputTokens ?? stepTokens);

/** What has to be held before this model is asked (wire contract §2.7). */
export const firstHold = (input: ReserveInput, model: CatalogueModel): NanoUsd =>
  amountFor(input, model.price, firstStep(input, model));

const amountFor = ({ byok, inputTokens }: ReserveInput, price: Price | null, completionTokens: number): NanoUsd =>
  byok || !price
    ? nanoUsd(0n)
    : costOf(price, {
        ...noTokens,
        ...{ promptTokens: inputTokens, completionTokens },
        reasoningTokens: (price.reasoning ?? 0n) > price.completion ? completionTokens : 0,
      });

export function createReserve(input: ReserveInput, ledger: Ledger): Reserve {
  let held = 0n;
  let covered = 0;

  async function raiseTo(amount: bigint): Promise<boolean> {
    if (amount <= held) return true;
    const more = await ledger.extend(input.requestId, nanoUsd(amount));
    if (more) held = amount;
    return more;
  }

  return {
    firstAmount(model) {
      covered = firstStep(input, model);
      const amount = firstHold(input, model);
      held = amount;
      return amount;
    },
    async cover(model) {
      covered = firstStep(input, model);
      return raiseTo(firstHold(input, model));
    },
    exceededBy: (outputTokens) => input.maxTokens === null && outputTokens > covered,
    async grow(model) {
      covered += stepTokens;
      return raiseTo(amountFor(input, model.price, covered));
    },
  };
}

/** Adds to a refusal for lack of credit how long an answer the balance would cover (wire contract §2.7). */
export function withAffordableTokens(error: unknown, { price }: CatalogueModel, inputTokens: number): unknown {
  const available = error instanceof AppError ? error.details?.available_usd : undefined;
  if (!(error instanceof AppError) || !price || typeof available !== 'string') return error;
  const input = costOf(price, { ...noTokens, promptTokens: inputTokens });
  const perToken = ratesFor(price, inputTokens).completion;
  const left = (parseUsd(available) - input) * 1_000n;
  const affordable = left > 0n && perToken > 0n ? Number(left / perToken) : 0;
  const hint = affordable > 0 ? ` The largest "max_tokens" the balance covers is ${affordable}.` : '';
  return new AppError(error.code, `${error.message}${hint}`, {
    details: { ...error.details, affordable_max_tokens: affordable },
    cause: error,
  });
}
