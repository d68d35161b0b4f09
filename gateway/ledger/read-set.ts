import { getLeft } from '#shared/spending-limit.ts';
import type { LedgerLimit } from './spending-limits.ts';

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

/**
 * The numbers that decisions depended on. The rows may be stale when the decisions are written, so each number gets a margin: one
 * that covered a whole batch may shrink by the smallest surplus, and one that was too small may grow by less than what was
 * missing.
 */
export interface ReadSet {
  /** Narrows the margins by an amount that was compared with these limits. */
  noteLimits(accountId: string, limits: readonly LedgerLimit[], amount: bigint): void;
  /** Narrows the margin of the day's requests. */
  noteDay(accountId: string, margin: bigint | null): void;
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
    noteLimits(accountId, limits, amount) {
      if (amount === 0n) return;
      for (const limit of limits) {
        // The limits of models need no margin: they are written only if their text is unchanged.
        if (limit.scope !== 'model') narrow(getCounter(accountId, limit), getLeft(limit) - amount);
      }
    },
    noteDay: (accountId, margin) => narrow(`day ${accountId}`, margin),
    account: (id) => ({
      funds: getMargin(`funds ${id}`),
      month: getMargin(`month ${id}`),
      day: getMargin(`day ${id}`),
      spent: getMargin(`spent ${id}`),
    }),
    key: (id) => getMargin(`key ${id}`),
  };
}

/** Returns the name of the stored number that a limit is compared with. */
function getCounter(accountId: string, { scope, period, id }: LedgerLimit): string {
  if (scope === 'key') return `key ${id}`;
  if (scope === 'balance') return `funds ${accountId}`;
  return period === 'day' ? `spent ${accountId}` : `month ${accountId}`;
}

const narrowBy = ({ fall, rise }: Margin, margin: bigint): Margin =>
  margin >= 0n
    ? { fall: fall === null || margin < fall ? margin : fall, rise }
    : { fall, rise: rise === null || -margin - 1n < rise ? -margin - 1n : rise };
