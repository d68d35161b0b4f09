import type { NanoUsd } from '#shared/money.ts';
import type { Scope } from '#shared/wire/account.ts';
import type { IdentityOperator } from '../../access/auth/identity.ts';
import type { LedgerReport } from '../../ledger/check-ledger.ts';
import type { PlanOperator } from '../configuration/plan-operator.ts';
import type { ProviderOperator } from '../configuration/provider-operator.ts';
import type { PriceOperator } from '../prices/price-operator.ts';

export interface AccountSummary {
  readonly id: string;
  readonly name: string;
  readonly plan: string;
  readonly status: 'active' | 'suspended' | 'closed';
  readonly balance: NanoUsd;
  readonly held: NanoUsd;
}

/**
 * What an account's keys may spend together in the current UTC day and month, and what they have spent. A `limit` of null means
 * none.
 */
export interface AccountLimits {
  /** The monthly limits of single models, by model id. */
  readonly models: readonly { readonly model: string; readonly limit: NanoUsd; readonly used: NanoUsd }[];
  readonly day: { readonly limit: NanoUsd | null; readonly used: NanoUsd };
  readonly month: { readonly limit: NanoUsd | null; readonly used: NanoUsd };
  /** The key that is exempt from all of them: that of the desktop app. */
  readonly exceptKey: string | null;
}

export interface KeySummary {
  readonly id: string;
  readonly accountId: string;
  readonly label: string | null;
  readonly prefix: string;
  readonly scopes: readonly Scope[];
  readonly created: number;
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
  readonly spendLimit: NanoUsd | null;
  readonly spent: NanoUsd;
  /** The key or the user that minted it. Null: the operator. */
  readonly mintedBy: string | null;
}

/** Operator commands (wire contract §10) that the command line and the desktop's core have in common. */
export interface Operator {
  createAccount(account: { name: string; plan?: string; email?: string }): Promise<AccountSummary>;
  listAccounts(): Promise<AccountSummary[]>;
  /** Running gateways refuse a suspended account within two seconds. Its running answers finish. */
  setAccountStatus(accountId: string, status: 'active' | 'suspended'): Promise<void>;
  /**
   * Sets what the account's keys may spend in a UTC day and month, and on single models in a month (null: no limit), from the
   * next request on. `exceptKey` is exempt. Limits that aren't named stay. Throws `invalid_input` for a negative limit.
   */
  limitAccount(
    accountId: string,
    limits: {
      readonly day?: NanoUsd | null;
      readonly month?: NanoUsd | null;
      /** By model id, such as `openai/gpt-5`. */
      readonly models?: Readonly<Record<string, NanoUsd | null>>;
      readonly exceptKey?: string | null;
    },
  ): Promise<void>;
  accountLimits(accountId: string): Promise<AccountLimits>;
  /** Adds credits. With an `id`, it happens once, however often it's called. */
  grant(grant: { accountId: string; amount: NanoUsd; description?: string; id?: string }): Promise<{ id: string }>;
  /** The plain key is returned here and nowhere else. */
  createKey(key: {
    accountId: string;
    label?: string;
    /** Defaults to `chat` and `models`, which a chat client needs. */
    scopes?: readonly Scope[];
    /** The key's spending limit. */
    spendLimit?: NanoUsd;
    /** Milliseconds since the epoch. */
    expiresAt?: number;
  }): Promise<{ id: string; key: string }>;
  listKeys(accountId: string): Promise<KeySummary[]>;
  /** Revokes a key and, with it, all keys that it minted. */
  revokeKey(keyId: string): Promise<void>;
}

/** What only the command line may do: users, tokens, prices, plans, providers, and the ledger check. */
export interface Administrator extends Operator, IdentityOperator, PriceOperator, PlanOperator, ProviderOperator {
  /** Running gateways apply it within two seconds. Throws `invalid_input` when there is no such plan. */
  setAccountPlan(accountId: string, plan: string): Promise<void>;
  /** Replaces a lost secret by the given one. Keys and tokens made with the lost one stop working. */
  replaceKeySecret(): Promise<void>;
  /** Recomputes every sum of the ledger and reports differences, exact to the nano-USD. */
  checkLedger(): Promise<LedgerReport>;
}
