import type { AccountRow, ApiKeyRow, RequestRow } from '../storage/schema.ts';

/** The columns of an account that the rules read or change. */
export type AccountState = Pick<
  AccountRow,
  | 'id'
  | 'plan'
  | 'balance'
  | 'held'
  | 'used'
  | 'day'
  | 'day_requests'
  | 'day_used'
  | 'month'
  | 'month_used'
  | 'day_limit'
  | 'month_limit'
  | 'unlimited_key'
  | 'model_limits'
>;

export type KeyState = Pick<ApiKeyRow, 'id' | 'parent_id' | 'spend_limit' | 'spent' | 'held'>;

/** The columns of a request that later commands need. */
export type RequestState = Pick<
  RequestRow,
  'id' | 'account_id' | 'key_id' | 'day' | 'provider' | 'model' | 'byok' | 'hold' | 'lease_until' | 'status' | 'charge'
>;

/** The ledger as the rules see it. A row that doesn't exist is undefined. */
export interface LedgerSnapshot {
  account(id: string): AccountState | undefined;
  key(id: string): KeyState | undefined;
  request(id: string): RequestState | undefined;
}
