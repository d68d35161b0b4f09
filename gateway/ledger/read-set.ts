import type { Plan } from '../access/auth/principal.ts';
import type { AccountState, KeyState } from './ledger-snapshot.ts';
import { creditMargin, dayMargin, keyMargin, monthMargin } from './quota.ts';
import { dayLimitMargin, monthLimitMargin } from './spending-limits.ts';

/** How far a number may fall and rise without changing the result of any comparison made with it. Null: without limit. */
export interface Margin {
  readonly fall: bigint | null;
  readonly rise: bigint | null;
}

/** The margins of an account: what is left of its balance, of its month and of its day. */
interface AccountMargins {
  readonly funds: Margin;
  readonly month: Margin;
  readonly day: Margin;
  /** What the day was charged plus what is held. */
  readonly spent: Margin;
}

interface Reservation {
  readonly account: AccountState;
  readonly plan: Plan;
  readonly keyId: string | null;
  /** The key itself and the keys that minted it. */
  readonly keys: readonly KeyState[];
  readonly amount: bigint;
  readonly now: number;
  /** True when the reservation also counts one request against the plan's daily quota. */
  readonly opens: boolean;
}

/**
 * The numbers that decisions depended on. The rows may be stale when the decisions are written, so each number gets a margin: one
 * that covered a whole batch may shrink by the smallest surplus, and one that was too small may grow by less than what was
 * missing.
 */
export interface ReadSet {
  /** Narrows the margins by one reservation. */
  note(reservation: Reservation): void;
  account(id: string): AccountMargins;
  key(id: string): Margin;
}

const anything: Margin = { fall: null, rise: null };

export function createReadSet(): ReadSet {
  const margins = new Map<string, Margin>();

  function narrow(name: string, margin: bigint | null): void {
    if (margin !== null) margins.set(name, narrowBy(margins.get(name) ?? anything, margin));
  }

  const getMargin = (name: string) => margins.get(name) ?? anything;
  return {
    note({ account, plan, keyId, keys, amount, now, opens }) {
      const { id } = account;
      narrow(`funds ${id}`, creditMargin(account, plan, amount));
      narrow(`month ${id}`, monthMargin(account, plan, amount, now));
      narrow(`month ${id}`, monthLimitMargin(account, keyId, amount, now));
      narrow(`spent ${id}`, dayLimitMargin(account, keyId, amount, now));
      if (opens) narrow(`day ${id}`, dayMargin(account, plan, now));
      for (const key of keys) narrow(`key ${key.id}`, keyMargin(key, amount));
    },
    account: (id) => ({
      funds: getMargin(`funds ${id}`),
      month: getMargin(`month ${id}`),
      day: getMargin(`day ${id}`),
      spent: getMargin(`spent ${id}`),
    }),
    key: (id) => getMargin(`key ${id}`),
  };
}

const narrowBy = ({ fall, rise }: Margin, margin: bigint): Margin =>
  margin >= 0n
    ? { fall: fall === null || margin < fall ? margin : fall, rise }
    : { fall, rise: rise === null || -margin - 1n < rise ? -margin - 1n : rise };
