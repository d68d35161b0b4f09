import type { Plan } from '../access/auth/principal.ts';
import type { AccountState, KeyState } from './books-state.ts';
import { creditMargin, dayMargin, keyMargin, monthMargin } from './quota.ts';
import { dayLimitMargin, monthLimitMargin } from './spending-limits.ts';

/** How far a number may fall and rise with every comparison that was made with it coming out the same; null: any way. */
export interface Leeway {
  readonly fall: bigint | null;
  readonly rise: bigint | null;
}

/** By what a row may differ from the one that was decided on: what is left of the balance and the quotas, or of a key's limit. */
interface AccountReliance {
  readonly funds: Leeway;
  readonly month: Leeway;
  readonly day: Leeway;
  /** What the day was charged and holds. */
  readonly spent: Leeway;
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
export interface Reliance {
  /** Notes the margins that a reservation is decided by. */
  note(reservation: Reservation): void;
  account(id: string): AccountReliance;
  key(id: string): Leeway;
}

const anything: Leeway = { fall: null, rise: null };

export function createReliance(): Reliance {
  const leeways = new Map<string, Leeway>();

  function meet(name: string, margin: bigint | null): void {
    if (margin !== null) leeways.set(name, narrowed(leeways.get(name) ?? anything, margin));
  }

  const of = (name: string) => leeways.get(name) ?? anything;
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

const narrowed = ({ fall, rise }: Leeway, margin: bigint): Leeway =>
  margin >= 0n
    ? { fall: fall === null || margin < fall ? margin : fall, rise }
    : { fall, rise: rise === null || -margin - 1n < rise ? -margin - 1n : rise };
