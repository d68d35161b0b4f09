import type { NanoUsd } from '#shared/money.ts';
import type { Price, TokenUsage } from '#shared/price.ts';
import type { ModelName } from './model-limits.ts';

/** Opens a request in the books. `amount` is reserved until the request is settled. */
export interface HoldRequest {
  readonly requestId: string;
  readonly accountId: string;
  readonly keyId: string | null;
  readonly amount: NanoUsd;
  /** Up to this is reserved in place of `amount`, as far as the account's means allow it (`decide-commands.ts`). */
  readonly preferred?: NanoUsd;
  readonly provider: string;
  readonly model: string;
  readonly byok: boolean;
  readonly purpose: string | null;
  readonly conversationId: string | null;
  /** The caller's name for its end user, kept as it is (wire contract §1.1). */
  readonly user: string | null;
  readonly metadata: Readonly<Record<string, string>>;
}

/** The end of a request, whatever it was. `charge` 0 releases the hold. */
export interface Settlement {
  readonly requestId: string;
  readonly status: 'succeeded' | 'failed' | 'cancelled';
  readonly errorCode: string | null;
  readonly charge: NanoUsd;
  /** The part of `price` × `usage` that `charge` is, in basis points, where it is a fee on the caller's own key; else absent. */
  readonly byokFeeBps?: number;
  /** What the upstream is expected to bill, whoever pays. */
  readonly upstreamCost: NanoUsd;
  readonly estimated: boolean;
  /** What the upstream may bill at the most, where an estimate may be too low; else absent. */
  readonly costUpTo?: NanoUsd;
  readonly provider: string;
  readonly model: string;
  readonly usage: TokenUsage;
  readonly price: Price | null;
  /** The whole decision (wire contract §5.6) in JSON, spelled once for the journal and for the row. */
  readonly routing: string | null;
  /** How many upstreams were asked; absent where none was. Not kept beside the decision. */
  readonly attempts?: number;
  readonly firstTokenMs: number | null;
  readonly totalMs: number;
}

/** A hold that was decided. */
export interface Held {
  /** Between the request's `amount` and what it preferred. */
  readonly amount: NanoUsd;
  /** Resolves when the hold is on the disk; rejects where the disk failed. Nothing is done for it until it is asked for. */
  readonly durable: Promise<void>;
}

/** The append-only book of money: hold, then settle, exactly once (wire contract §2.7). */
export interface Ledger {
  /**
   * Holds for everyone as soon as it returns or resolves, and also if this process ends then. No byte of the answer may leave
   * before `durable` has resolved. Throws or rejects with `plan_limit_exceeded` where a quota of the plan is used up,
   * `key_spend_limit_exceeded` where the key's limit cannot cover it, `insufficient_credits` where a prepaid balance cannot,
   * and `server_overloaded` where the books cannot be written.
   */
  decide(request: HoldRequest): Held | Promise<Held>;
  /**
   * Raises what a running request holds to this amount, and changes nothing where it holds as much already; false where the
   * balance, a limit or the plan's quota cannot cover it. `model`: it is asked from now on, and its limit has to cover all of it.
   */
  extend(requestId: string, to: NanoUsd, model?: ModelName): Promise<boolean>;
  /** Keeps a running request's lease alive. */
  renew(requestId: string): Promise<void>;
  /** Books the end once, durable when it resolves: a repeat changes nothing and answers what was booked. */
  settle(settlement: Settlement): Promise<{ readonly charged: NanoUsd }>;
}
