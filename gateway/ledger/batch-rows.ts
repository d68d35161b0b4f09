import type { AccountState, BatchStatements, KeyState } from './batch-statements.ts';
import type { Settlement } from './ledger.ts';

/** The part of an open request that its end needs. */
export interface Open {
  readonly accountId: string;
  readonly keyId: string | null;
  readonly day: string;
  readonly byok: bigint;
  readonly hold: bigint;
}

/** The rows that the steps of a batch share: each is read once, at its first use, and written once, by `save`. */
export interface BatchRows {
  account(id: string): AccountState | undefined;
  /** A key and those that minted it, oldest first: the order in which their limits are told. */
  lineage(keyId: string | null): readonly KeyState[];
  /** Adds an ended request to its day's counters. */
  count(open: Open, end: Settlement): void;
  save(): void;
}

interface Counter {
  readonly names: readonly [account: string, day: string, provider: string, model: string, key: string, status: string];
  readonly byok: bigint;
  readonly sums: [requests: bigint, prompt: bigint, completion: bigint, cached: bigint, reasoning: bigint];
  charge: bigint;
  upstreamCost: bigint;
}

export function createBatchRows(statements: BatchStatements): BatchRows {
  const accounts = new Map<string, AccountState>();
  const keys = new Map<string, KeyState>();
  const lines = new Map<string, readonly KeyState[]>();
  const counters = new Map<string, Counter>();

  function keyOf(id: string): KeyState | undefined {
    const key = keys.get(id) ?? statements.key(id);
    if (key) keys.set(id, key);
    return key;
  }

  function lineFrom(keyId: string): readonly KeyState[] {
    const line: KeyState[] = [];
    for (let key = keyOf(keyId); key; key = key.parent_id === null ? undefined : keyOf(key.parent_id)) line.push(key);
    return line.length > 1 ? line.sort((a, b) => (a.id < b.id ? -1 : 1)) : line;
  }

  return {
    account(id) {
      const account = accounts.get(id) ?? statements.account(id);
      if (account) accounts.set(id, account);
      return account;
    },
    lineage(keyId) {
      if (keyId === null) return [];
      const line = lines.get(keyId) ?? lineFrom(keyId);
      lines.set(keyId, line);
      return line;
    },
    count(open, end) {
      const key = open.keyId ?? '';
      const name = `${open.accountId} ${open.day} ${end.provider} ${end.model} ${key} ${end.status} ${open.byok}`;
      const counter = counters.get(name) ?? newCounter(open, end, key);
      counters.set(name, counter);
      const { usage } = end;
      const counts = [1, usage.promptTokens, usage.completionTokens, usage.cachedTokens, usage.reasoningTokens];
      for (const [at, count] of counts.entries()) counter.sums[at as 0] += BigInt(count);
      counter.charge += end.charge;
      counter.upstreamCost += end.upstreamCost;
    },
    save() {
      for (const { id, balance, held, used, day, day_requests, month, month_used } of accounts.values()) {
        statements.write('saveAccount', [balance, held, used, day, day_requests, month, month_used, id]);
      }
      for (const { id, held, spent } of keys.values()) statements.write('saveKey', [held, spent, id]);
      for (const { names, byok, sums, charge, upstreamCost } of counters.values()) {
        statements.write('addUsage', [...names, byok, ...sums, charge, upstreamCost]);
      }
    },
  };
}

const newCounter = (open: Open, end: Settlement, key: string): Counter => ({
  names: [open.accountId, open.day, end.provider, end.model, key, end.status],
  byok: open.byok,
  sums: [0n, 0n, 0n, 0n, 0n],
  charge: 0n,
  upstreamCost: 0n,
});
