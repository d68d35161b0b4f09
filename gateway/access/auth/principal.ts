import type { NanoUsd } from '#shared/money.ts';
import type { Scope } from '#shared/wire/account.ts';

/** What an account may do (wire contract §7). Null limits are off. */
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
  /** Model ids with `*`; a leading `!` excludes. */
  readonly models: readonly string[];
}

/** Who is asking: the result of authentication, and all that the rest of the gateway knows of the caller. */
export interface Principal {
  readonly accountId: string;
  readonly accountStatus: 'active' | 'suspended' | 'closed';
  readonly plan: Plan;
  /** Whose token it is; absent with an API key. */
  readonly userId?: string;
  /** The token's own id, where it carries one, and that of the key it was signed with. */
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
    /** Whose rate limits it shares: set where another credential minted it. */
    readonly window?: string;
    /** What it may ever spend; absent or null: as much as the account. */
    readonly spendLimit?: NanoUsd | null;
    /** Of the account's keys it sees and changes itself and those that come from it, and no others (decision 029). */
    readonly isConfined?: boolean;
  };
}
