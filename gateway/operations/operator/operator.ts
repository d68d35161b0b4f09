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

/** What an account's keys may spend together in the UTC day and month that it is, and have spent. `limit` null: no limit. */
export interface AccountLimits {
  /** On single models in the month, by their ids: those that have a limit. */
  readonly models: readonly { readonly model: string; readonly limit: NanoUsd; readonly used: NanoUsd }[];
  readonly day: { readonly limit: NanoUsd | null; readonly used: NanoUsd };
  readonly month: { readonly limit: NanoUsd | null; readonly used: NanoUsd };
  /** The key that may pass all of them: the desktop app's. */
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
  /** The key or the user whose credential minted it; null: the operator. */
  readonly mintedBy: string | null;
}

/** Operator commands (wire contract §10): what the command line and the desktop's core may do to the books. */
export interface Operator {
  createAccount(account: { name: string; plan?: string; email?: string }): Promise<AccountSummary>;
  listAccounts(): Promise<AccountSummary[]>;
  /** Running gateways refuse a suspended account within two seconds; its running answers finish. */
  setAccountStatus(accountId: string, status: 'active' | 'suspended'): Promise<void>;
  /**
   * What the account's keys may spend in a UTC day and month, and on single models in a month (null: no limit), from the next
   * request on; `exceptKey` may pass it. What is not named stays as it is. Throws `invalid_input` for a limit below zero.
   */
  limitAccount(
    accountId: string,
    limits: {
      readonly day?: NanoUsd | null;
      readonly month?: NanoUsd | null;
      /** By ids, such as `openai/gpt-5`. */
      readonly models?: Readonly<Record<string, NanoUsd | null>>;
      readonly exceptKey?: string | null;
    },
  ): Promise<void>;
  accountLimits(accountId: string): Promise<AccountLimits>;
  /** Adds credits. `id` makes it happen once, however often it is called. */
  grant(grant: { accountId: string; amount: NanoUsd; description?: string; id?: string }): Promise<{ id: string }>;
  /** The plain key is returned here and nowhere else. */
  createKey(key: {
    accountId: string;
    label?: string;
    /** `chat` and `models` where nothing else is asked for: what a chat client needs. */
    scopes?: readonly Scope[];
    /** What the key may ever spend. */
    spendLimit?: NanoUsd;
    /** Milliseconds since the epoch. */
    expiresAt?: number;
  }): Promise<{ id: string; key: string }>;
  listKeys(accountId: string): Promise<KeySummary[]>;
  /** Ends a key and, with it, whatever it minted. */
  revokeKey(keyId: string): Promise<void>;
}

/** What the command line may do beyond that: users, tokens, prices, plans, providers, and the proof of the books. */
export interface Administrator extends Operator, IdentityOperator, PriceOperator, PlanOperator, ProviderOperator {
  /** Running gateways know within two seconds. Throws `invalid_input` where there is no such plan. */
  setAccountPlan(accountId: string, plan: string): Promise<void>;
  /** Takes the secret that was given in the place of a lost one: keys and tokens made with that one work no more. */
  replaceKeySecret(): Promise<void>;
  /** Recomputes every sum of the books and says what is off, to the nano-dollar. */
  checkLedger(): Promise<LedgerReport>;
}
