import { type NanoUsd, nanoUsd } from '#shared/money.ts';
import { costOf, noTokens, type Price } from '#shared/price.ts';
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

export function createReserve(input: ReserveInput, ledger: Ledger): Reserve {
  let held = 0n;
  let covered = 0;

  const amountFor = (price: Price | null, completionTokens: number): NanoUsd =>
    input.byok || !price
      ? nanoUsd(0n)
      : costOf(price, { ...noTokens, promptTokens: input.inputTokens, completionTokens });

  const firstStep = (model: CatalogueModel): number =>
    input.maxTokens ??
    Math.min(stepTokens, model.maxOutputTokens ?? stepTokens, input.planMaxOutputTokens ?? stepTokens);

  async function raiseTo(amount: bigint): Promise<boolean> {
    if (amount <= held) return true;
    const more = await ledger.extend(input.requestId, nanoUsd(amount - held));
    if (more) held = amount;
    return more;
  }

  return {
    firstAmount(model) {
      covered = firstStep(model);
      const amount = amountFor(model.price, covered);
      held = amount;
      return amount;
    },
    async cover(model) {
      covered = firstStep(model);
      return raiseTo(amountFor(model.price, covered));
    },
    exceededBy: (outputTokens) => input.maxTokens === null && outputTokens > covered,
    async grow(model) {
      covered += stepTokens;
      return raiseTo(amountFor(model.price, covered));
    },
  };
}
