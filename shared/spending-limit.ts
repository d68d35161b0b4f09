/**
 * An amount of money that may not be passed. A prepaid balance is one too: nothing of it is used, because a charge makes the balance
 * itself smaller. Amounts are nano-USD.
 */
export interface SpendingLimit<Scope extends string = string> {
  readonly scope: Scope;
  /** UTC. Null for a limit that never starts anew. */
  readonly period: 'day' | 'month' | null;
  /** The key or the model whose limit it is. Null where there is only one such limit. */
  readonly id: string | null;
  readonly limit: bigint;
  readonly used: bigint;
  /** The most that running requests may still cost. */
  readonly held: bigint;
}

export const getLeft = ({ limit, used, held }: Pick<SpendingLimit, 'limit' | 'used' | 'held'>): bigint =>
  limit - used - held;
