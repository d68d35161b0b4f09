import type { Plan } from '../access/auth/principal.ts';
import type { AccountState, KeyState } from './ledger-snapshot.ts';
import { creditMargin, dayMargin, keyMargin, monthMargin } from './quota.ts';
import { dayLimitMargin, monthLimitMargin } from './spending-limits.ts';

/** How far a number may fall and rise with every comparison that was made with it coming out the same; null: any way. */
export interface Margin {
  readonly fall: bigint | null;
  readonly rise: bigint | null;
}

/** By what a row may differ from the one that was decided on: what is left of the balance and the quotas, or of a key's limit. */
interface AccountMargins {
  readonly funds: Margin;
  readonly month: Margin;
  readonly day: Margin;
  /** What the day was charged and holds. */
  readonly spent: Margin;
}

interface Reservation {
  readonly account: AccountState;
  readonly plan: Plan;
  readonly keyId: string | null;
  /** With those that minted it. */
  readonly keys: readonly KeyState[];
  readonly amount: bigint;
  readonly now: number;
  /** Counts a request as well. */
  readonly opens: boolean;
}

/**
 * What decisions relied on. They are made on rows that may be old by the time they are written; a margin that was enough
 * for all of a batch may have shrunk by its least surplus, and one that was short may have grown by less than it lacked.
 */
export interface ReadSet {
  /** Notes the margins that a reservation is decided by. */
  note(reservation: Reservation): void;
  account(id: string): AccountMargins;
  key(id: string): Margin;
}

const anything: Margin = { fall: null, rise: null };

export function createReadSet(): ReadSet {
  const margins = new Map<string, Margin>();

  function meet(name: string, margin: bigint | null): void {
    if (margin !== null) margins.set(name, narrowed(margins.get(name) ?? anything, margin));
  }

  const of = (name: string) => margins.get(name) ?? anything;
  return {
    note({ account, plan, keyId, keys, amount, now, opens }) {
      const { id } = account;
      meet(`funds ${id}`, creditMargin(account, plan, amount));
      meet(`month ${id}`, monthMargin(account, plan, amount, now));
      meet(`month ${id}`, monthLimitMargin(account, keyId, amount, now));
      meet(`spent ${id}`, dayLimitMargin(account, keyId, amount, now));
      if (opens) meet(`day ${id}`, dayMargin(account, plan, now));
      for (const key of keys) meet(`key ${key.id}`, keyMargin(key, amount));
    },
    account: (id) => ({
      funds: of(`funds ${id}`),
      month: of(`month ${id}`),
      day: of(`day ${id}`),
      spent: of(`spent ${id}`),
    }),
    key: (id) => of(`key ${id}`),
  };
}

const narrowed = ({ fall, rise }: Margin, margin: bigint): Margin =>
  margin >= 0n
    ? { fall: fall === null || margin < fall ? margin : fall, rise }
    : { fall, rise: rise === null || -margin - 1n < rise ? -margin - 1n : rise };
