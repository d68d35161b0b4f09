import type { NanoUsd } from '#shared/money.ts';
import type { Price, TokenUsage } from '#shared/price.ts';
import type { ModelName } from './spending-limits.ts';

/** Opens a request in the ledger. `amount` is reserved until the request is settled. */
export interface HoldRequest {
  readonly requestId: string;
  readonly accountId: string;
  readonly keyId: string | null;
  readonly amount: NanoUsd;
  /** The hold may grow up to this when the account can afford it (`shareToHold` in `decide-commands.ts` decides how far). */
  readonly preferred?: NanoUsd;
  readonly provider: string;
  readonly model: string;
  readonly byok: boolean;
  readonly purpose: string | null;
  readonly conversationId: string | null;
  /** The caller's name for its end user, stored unchanged (wire contract §1.1). */
  readonly user: string | null;
  readonly metadata: Readonly<Record<string, string>>;
}

/** How a request ended, whether it succeeded or not. A `charge` of 0 releases the hold. */
export interface Settlement {
  readonly requestId: string;
  readonly status: 'succeeded' | 'failed' | 'cancelled';
  readonly errorCode: string | null;
  readonly charge: NanoUsd;
  /** Set when `charge` is a fee on the caller's own key: the share of `price` × `usage` that it is, in basis points. */
  readonly byokFeeBps?: number;
  /** The provider cost that the gateway expects, whether the operator or the caller pays it. */
  readonly upstreamCost: NanoUsd;
  readonly estimated: boolean;
  /** The most that the provider may charge. Set only when an estimate may be too low. */
  readonly costUpTo?: NanoUsd;
  readonly provider: string;
  readonly model: string;
  readonly usage: TokenUsage;
  readonly price: Price | null;
  /**
   * The full routing decision (wire contract §5.6) as JSON text. It's serialized once and reused by the write-ahead log and the
   * row.
   */
  readonly routing: string | null;
  /** How many upstreams were called. Absent when none was. Isn't stored: `routing` contains it. */
  readonly attempts?: number;
  readonly firstTokenMs: number | null;
  readonly totalMs: number;
}

/** A hold that the ledger has granted. */
export interface Held {
  /** Between the request's `amount` and what it preferred. */
  readonly amount: NanoUsd;
  /** Resolves when the hold is durable; rejects when the disk failed. The sync starts only when this property is read. */
  readonly durable: Promise<void>;
}

/** Takes a hold before the model is called, then settles it exactly once (wire contract §2.7). Its entries are append-only. */
export interface Ledger {
  /**
   * Takes a hold. It counts for every other request as soon as this returns or resolves, even if the process dies right after. No
   * byte of the answer may leave before `durable` has resolved.
   *
   * Throws or rejects with `plan_limit_exceeded` when a quota of the plan is used up, `key_spend_limit_exceeded` when the key's
   * spending limit can't cover the amount, `insufficient_credits` when a prepaid balance can't, and `server_overloaded` when the
   * ledger can't be written.
   */
  decide(request: HoldRequest): Held | Promise<Held>;
  /**
   * Raises the hold of a running request to this amount; a hold that is large enough stays as it is. Returns false when the
   * balance, a limit or the plan's quota can't cover it. With `model`, the request moves to that model, whose own limit must
   * cover the full hold.
   */
  extend(requestId: string, to: NanoUsd, model?: ModelName): Promise<boolean>;
  /** Extends the lease of a running request. */
  renew(requestId: string): Promise<void>;
  /**
   * Ends a request and records its charge; durable when it resolves. A repeated call changes nothing and returns the recorded
   * charge.
   */
  settle(settlement: Settlement): Promise<{ readonly charged: NanoUsd }>;
}
