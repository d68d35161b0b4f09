import type { NanoUsd } from '#shared/money.ts';
import type { Scope } from '#shared/wire/account.ts';

/** What an account may do (wire contract §7). A limit that is null is off. */
export interface Plan {
  readonly id: string;
  readonly name: string;
  readonly billing: 'prepaid' | 'meter_only';
  readonly features: readonly string[];
  readonly requestsPerMinute: number | null;
  readonly tokensPerMinute: number | null;
  readonly concurrentRequests: number | null;
  readonly requestsPerDay: number | null;
  readonly monthlySpend: NanoUsd | null;
  readonly maxOutputTokens: number | null;
  /** Model ids with `*`. A leading `!` excludes. */
  readonly models: readonly string[];
}

/** The authenticated caller: everything that the rest of the gateway knows about it. */
export interface Principal {
  readonly accountId: string;
  readonly accountStatus: 'active' | 'suspended' | 'closed';
  readonly plan: Plan;
  /** The user of the token. Absent with an API key. */
  readonly userId?: string;
  /** The token's own id, if it has one, and the id of the key that signed it. */
  readonly tokenId?: string;
  readonly tokenKey?: string;
  readonly credential: {
    readonly type: 'api_key' | 'jwt';
    readonly id: string | null;
    readonly label: string | null;
    readonly prefix: string | null;
    readonly scopes: readonly Scope[];
    readonly created: number | null;
    readonly expiresAt: number | null;
    readonly lastUsedAt: number | null;
    /** Whose rate limits it shares. Set when another credential minted it. */
    readonly window?: string;
    /** Its spending limit. Absent or null: no limit besides the account's. */
    readonly spendLimit?: NanoUsd | null;
    /** Whether it may see and change only itself and its descendants among the account's keys (decision 029). */
    readonly isConfined?: boolean;
  };
}
