import type { Plan } from '../access/auth/principal.ts';
import type { AccountState, KeyState } from './ledger-snapshot.ts';
import { getModelLimits, type ModelName, modelId } from './model-limits.ts';
import { creditMargin, keyMargin, monthMargin } from './quota.ts';
import { dayLimitMargin, monthLimitMargin } from './spending-limits.ts';

/** Who wants to reserve something, and for which model. */
interface Spender {
  readonly account: AccountState;
  readonly plan: Plan;
  readonly keyId: string | null;
  /** With those that minted it. */
  readonly keys: readonly KeyState[];
  readonly model: ModelName;
}

/** The most that could be reserved now: what the balance and every limit leave; null where nothing limits it. */
function spendableNow({ account, plan, keyId, keys, model }: Spender, now: number): bigint | null {
  const limits = account.model_limits === null ? [] : getModelLimits(account, keyId, now);
  const limit = limits.find((entry) => entry.model === modelId(model));
  const margins = [
    creditMargin(account, plan, 1n),
    monthMargin(account, plan, 1n, now),
    monthLimitMargin(account, keyId, 1n, now),
    dayLimitMargin(account, keyId, 1n, now),
    ...keys.map((key) => keyMargin(key, 1n)),
    limit ? limit.limit - limit.used - limit.held - 1n : null,
  ];
  let least: bigint | null = null;
  for (const margin of margins) if (margin !== null && (least === null || margin < least)) least = margin;
  return least === null ? null : least + 1n;
}

/** The part that the second request takes, where the first took next to nothing. */
const shareOfMany = 8n;

/**
 * How much a request holds of what its longest answer may cost (`max`), at least what its shortest does (`min`). A request that
 * runs alone gets all of it, where another one could still begin beside it; else half of what is left. Beside others it gets
 * an eighth of what is left, and less the more is held already: so a hundred requests at once find room where a hundred of
 * their shortest answers do, and one long answer doesn't use up what they would share. Where nobody else could begin anyway, it
 * gets all that is left.
 */
export function shareToHold(min: bigint, max: bigint, spender: Spender, now: number): bigint {
  if (max <= min) return min;
  const spendable = spendableNow(spender, now);
  if (spendable === null) return max;
  if (spendable <= min) return min;
  const { held } = spender.account;
  if (held === 0n && spendable - max >= min) return max;
  const fair = held === 0n ? spendable / 2n : (spendable * spendable) / ((spendable + held) * shareOfMany);
  const share = fair > min ? fair : min;
  const amount = spendable - share < min ? spendable : share;
  return amount < max ? amount : max;
}
