import { monotonicFactory } from 'ulid';

/** What an id names (wire contract §1.0). */
export type IdPrefix = 'req' | 'chat' | 'key' | 'acct' | 'txn' | 'inst' | 'usr' | 'tok';

const nextUlid = monotonicFactory();

/**
 * A new id: prefix and a 26-character ULID. Ids of one process rise even within a millisecond, so that sorting by id is
 * sorting by time.
 */
export const newId = (prefix: IdPrefix, now: number): string => `${prefix}_${nextUlid(now)}`;
