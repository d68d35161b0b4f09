import { AppError } from '#shared/errors.ts';
import { formatUsd, nanoUsd } from '#shared/money.ts';
import type { Plan } from '../auth/principal.ts';
import type { AccountRow } from '../db/schema.ts';

type Funds = Pick<AccountRow, 'balance' | 'held'>;

/** What a prepaid balance would have left, below zero where it is short; null where there is nothing to cover. */
export const creditMargin = (account: Funds, { billing }: Plan, amount: bigint): bigint | null =>
  amount === 0n || billing === 'meter_only' ? null : account.balance - account.held - amount;

/** Why a prepaid balance cannot cover an amount, or null. Nothing to reserve is never refused. */
export function creditShortage(account: Funds, plan: Plan, amount: bigint): AppError | null {
  const left = creditMargin(account, plan, amount);
  return left === null || left >= 0n ? null : insufficientCredits(account, amount);
}

/** Wire contract §2.7; `reserve.ts` adds how long an answer the balance covers. */
export function insufficientCredits({ balance, held }: Funds, amount: bigint): AppError {
  const needed = formatUsd(nanoUsd(amount));
  const available = formatUsd(nanoUsd(balance - held));
  return new AppError(
    'insufficient_credits',
    `Insufficient credits: this request may cost up to $${needed}, available $${available}. Lower max_tokens or add credits.`,
    { details: { needed_usd: needed, available_usd: available } },
  );
}
