import { setTimeout as delay } from 'node:timers/promises';
import { AppError } from '#shared/errors.ts';
import type { NanoUsd } from '#shared/money.ts';
import { type PlanOf, getPlan as shippedPlan } from '../../access/auth/plans.ts';
import { createRounds } from '../../runtime/concurrency/rounds.ts';
import { isConnectionLoss } from '../../storage/connection-loss.ts';
import type { GatewayDb } from '../../storage/open-database.ts';
import { type CommandResult, decideCommands, type LedgerCommand } from '../decide-commands.ts';
import type { HoldRequest } from '../ledger.ts';
import type { LedgerChanges } from '../ledger-batch.ts';
import type { AccountState, KeyState, LedgerSnapshot, RequestState } from '../ledger-snapshot.ts';
import { getDay } from '../period.ts';
import { formatMonth } from '../quota.ts';
import { createReadSet } from '../read-set.ts';
import type { InterruptingLedger } from '../sweeper.ts';
import { commitChanges, type DecidedOn, readLedgerRows, type StoredRows, type Wanted } from './postgres-rows.ts';

/** Of each kind; beyond it the one unused for longest is read anew. */
const sizeLimit = 20_000;

/** The rows that this instance saw last. Others write to the books too: what is decided on them is checked when it is written. */
interface LedgerCache extends LedgerSnapshot {
  add(rows: StoredRows): void;
  /** Of a request only what still runs is needed again. */
  see(request: RequestState): void;
  forget(requestIds: Iterable<string>): void;
}

function createLedgerCache(): LedgerCache {
  const accounts = new Map<string, AccountState>();
  const keys = new Map<string, KeyState>();
  const requests = new Map<string, RequestState>();

  return {
    account: (id) => accounts.get(id),
    key: (id) => keys.get(id),
    request: (id) => requests.get(id),
    add(rows) {
      for (const row of rows.accounts) remember(accounts, row);
      for (const row of rows.keys) remember(keys, row);
      for (const row of rows.requests) remember(requests, row);
    },
    see(request) {
      if (request.status === 'running') remember(requests, request);
      else requests.delete(request.id);
    },
    forget(requestIds) {
      for (const id of requestIds) requests.delete(id);
    },
  };
}

/** Maps keep the order of insertion: the first one was written longest ago. */
function remember<Row extends { readonly id: string }>(rows: Map<string, Row>, row: Row): void {
  rows.delete(row.id);
  rows.set(row.id, row);
  const [oldest] = rows.size > sizeLimit ? rows.keys() : [];
  if (oldest !== undefined) rows.delete(oldest);
}

interface PostgresLedgerDeps {
  readonly db: GatewayDb;
  readonly now: () => number;
  readonly instanceId: string;
  readonly leaseMs: number;
  readonly getPlan?: PlanOf;
}

interface Waiting {
  readonly command: LedgerCommand;
  readonly resolve: (value: never) => void;
  readonly reject: (error: unknown) => void;
}

/** Groups under way at once, each with accounts of its own: one that waits for a row keeps not everybody waiting. */
const laneCount = 2;
const groupLimit = 128;
/** So many steps do not wait for more. */
const enough = 16;
/** How often a group is decided anew because others were quicker, before its steps go one by one, and each of those. */
const groupTries = 3;
const stepTries = 50;
const maxDelayMs = 20;

/**
 * The ledger over PostgreSQL (decision 040). Steps that come while a group is under way are the next group: they are decided
 * on the rows that this instance saw last, and written in one statement where the stored rows still allow every decision.
 * No lock is held while anything travels.
 */
export function createPostgresLedger(deps: PostgresLedgerDeps): InterruptingLedger {
  const cache = createLedgerCache();
  const lanes = Array.from({ length: laneCount }, () => createLane<Waiting>((group) => take(group, groupTries)));

  function add<T>(command: LedgerCommand): Promise<T> {
    const requestId = getRequest(command);
    const account = command.do === 'hold' ? command.request.accountId : cache.request(requestId)?.account_id;
    return new Promise<T>((resolve, reject) => {
      lanes[toNumber(account ?? requestId) % laneCount]?.({ command, resolve, reject });
    });
  }

  /** Decides and writes a group; every step of it is answered then. */
  async function take(group: readonly Waiting[], tries: number): Promise<void> {
    try {
      const results = await settleGroup(
        group.map(({ command }) => command),
        tries,
      );
      if (results) return answer(group, results);
    } catch (error) {
      cache.forget(group.map(({ command }) => getRequest(command)));
      // One step that the database refuses must not take its neighbours with it; where it is away, none gets further.
      if (group.length === 1 || isConnectionLoss(error)) return group.forEach(({ reject }) => void reject(error));
    }
    for (const one of group) await take([one], stepTries);
  }

  /** What came of the steps, once it is written; null where others were quicker each time. */
  async function settleGroup(
    commands: readonly LedgerCommand[],
    tries: number,
  ): Promise<readonly CommandResult[] | null> {
    let fresh = await loadMissing(commands);
    for (let tried = 0; tried < tries; tried += 1) {
      // Those who are in each other's way again and again come back at different times.
      if (tried >= groupTries) await delay(Math.random() * Math.min(tried, maxDelayMs));
      const { results, changes, on } = decide(commands);
      // Whoever has just been granted credits must not be refused for what was seen before.
      if (!fresh && results.some(isRefusal)) {
        cache.add(await readLedgerRows(deps.db, wantedBy(commands)));
        fresh = true;
        continue;
      }
      if (!changesAnything(changes) || (await written(changes, on))) return results;
      fresh = true;
    }
    if (commands.length > 1) return null;
    throw new AppError('server_overloaded', 'The account is too busy. Try again in a moment.', { retryAfterMs: 1_000 });
  }

  async function loadMissing(commands: readonly LedgerCommand[]): Promise<boolean> {
    const missing = wantedBy(commands, cache);
    if (missing.accounts.size + missing.keys.size + missing.requests.size === 0) return false;
    cache.add(await readLedgerRows(deps.db, wantedBy(commands)));
    return true;
  }

  function decide(commands: readonly LedgerCommand[]) {
    const time = deps.now();
    const { leaseMs, instanceId, getPlan = shippedPlan } = deps;
    const readSet = createReadSet();
    const seen = recording(cache);
    const context = { now: time, leaseUntil: time + leaseMs, instanceId, getPlan, readSet };
    const leases = new Map(
      commands.flatMap((command) =>
        command.do === 'interrupt' ? [[getRequest(command), command.leaseUntil] as const] : [],
      ),
    );
    const day = getDay(time);
    const on: DecidedOn = { ...seen.rows, leases, readSet, day, month: formatMonth(day) };
    return { ...decideCommands(commands, seen.view, context), on };
  }

  async function written(changes: LedgerChanges, on: DecidedOn): Promise<boolean> {
    const answered = await commitChanges(deps.db, changes, on).catch((error: unknown) => {
      if (isUndone(error)) return null;
      throw error;
    });
    if (!answered) return false;
    if (!answered.committed) cache.forget(on.requests.keys());
    cache.add(answered);
    if (answered.committed) for (const request of changes.requests.values()) cache.see(request);
    return answered.committed;
  }

  const hold = (request: HoldRequest) => add<NanoUsd>({ do: 'hold', request });
  return {
    decide: async (request) => ({ amount: await hold(request), durable: Promise.resolve() }),
    extend: (requestId, to, model) => add({ do: 'extend', requestId, to, model }),
    renew: (requestId) => add({ do: 'renew', requestId }),
    settle: (settlement) => add({ do: 'settle', settlement }),
    interrupt: (settlement, leaseUntil) => add({ do: 'interrupt', settlement, leaseUntil }),
    seen: cache.account,
  };
}

/** Runs one group after the other; what comes in one turn of the loop, or while a group is under way, is one group. */
function createLane<T>(run: (group: readonly T[]) => Promise<void>): (one: T) => void {
  const waiting: T[] = [];
  const next = async () => {
    const group = waiting.splice(0, groupLimit);
    if (waiting.length > 0) void ask();
    await run(group);
  };
  const ask = createRounds(next, () => waiting.length >= enough);
  return (one) => {
    waiting.push(one);
    void ask();
  };
}

function answer(group: readonly Waiting[], results: readonly CommandResult[]): void {
  for (const [at, { resolve, reject }] of group.entries()) {
    const result = results[at];
    if (result && 'value' in result) resolve(result.value as never);
    else reject(result?.error);
  }
}

const isRefusal = (result: CommandResult) => 'error' in result || result.value === false;

const changesAnything = ({ opened, raised, renewed, closed }: LedgerChanges) =>
  opened.length + raised.length + renewed.length + closed.length > 0;

/** PostgreSQL undid it for another transaction's sake: nothing was written. */
const isUndone = (error: unknown) =>
  error instanceof Error && 'code' in error && (error.code === '40P01' || error.code === '40001');

function getRequest(command: LedgerCommand): string {
  switch (command.do) {
    case 'hold':
      return command.request.requestId;
    case 'settle':
    case 'interrupt':
      return command.settlement.requestId;
    default:
      return command.requestId;
  }
}

/**
 * The rows that steps are decided on; where something is known already, only what is not. A request that is to be opened is
 * taken to be new: where it is not, that shows when it is written.
 */
function wantedBy(commands: readonly LedgerCommand[], known: LedgerSnapshot | null = null): Wanted {
  const accounts = new Set<string>();
  const keys = new Set<string>();
  const requests = new Set<string>();

  function need(accountId: string, keyId: string | null): void {
    if (!known?.account(accountId)) accounts.add(accountId);
    for (let id = keyId; id !== null; ) {
      const key = known?.key(id);
      if (!key) keys.add(id);
      id = key?.parent_id ?? null;
    }
  }

  for (const command of commands) {
    const id = getRequest(command);
    const request = known?.request(id);
    if (request) need(request.account_id, request.key_id);
    if (command.do === 'hold') need(command.request.accountId, command.request.keyId);
    if (!request && (command.do !== 'hold' || !known)) requests.add(id);
  }
  return { accounts, keys, requests };
}

/** A view that remembers what was read through it: the writing relies on it. */
function recording(view: LedgerSnapshot) {
  const accounts = new Map<string, AccountState>();
  const keys = new Map<string, KeyState>();
  const requests = new Map<string, RequestState>();
  const noted = <Row extends { readonly id: string }>(rows: Map<string, Row>, row: Row | undefined) => {
    if (row) rows.set(row.id, row);
    return row;
  };
  return {
    rows: { accounts, keys, requests },
    view: {
      account: (id) => noted(accounts, view.account(id)),
      key: (id) => noted(keys, view.key(id)),
      request(id) {
        const row = view.request(id);
        // What has ended stays as it is.
        return row?.status === 'running' ? noted(requests, row) : row;
      },
    } satisfies LedgerSnapshot,
  };
}

/** The same account always goes the same way. */
function toNumber(id: string): number {
  let number = 0;
  for (let at = 0; at < id.length; at += 1) number = (number * 31 + id.charCodeAt(at)) >>> 0;
  return number;
}
