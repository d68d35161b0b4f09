import type { AccountRow, ApiKeyRow, RequestRow } from '../storage/schema.ts';

/** An account as far as guards read it and requests change it. */
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

/** The part of a request that its further steps need. */
export type RequestState = Pick<
  RequestRow,
  'id' | 'account_id' | 'key_id' | 'day' | 'provider' | 'model' | 'byok' | 'hold' | 'lease_until' | 'status' | 'charge'
>;

/** The books as decisions see them; what is unknown is undefined. */
export interface LedgerSnapshot {
  account(id: string): AccountState | undefined;
  key(id: string): KeyState | undefined;
  request(id: string): RequestState | undefined;
}
