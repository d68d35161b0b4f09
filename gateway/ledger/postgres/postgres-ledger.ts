import { setTimeout as delay } from 'node:timers/promises';
import { AppError } from '#shared/errors.ts';
import type { NanoUsd } from '#shared/money.ts';
import { type PlanOf, getPlan as shippedPlan } from '../../access/auth/plans.ts';
import { createBatches } from '../../runtime/concurrency/batches.ts';
import { isConnectionLoss } from '../../storage/connection-loss.ts';
import type { GatewayDb } from '../../storage/open-database.ts';
import { type CommandResult, decideCommands, type LedgerCommand } from '../decide-commands.ts';
import type { HoldRequest } from '../ledger.ts';
import type { LedgerChanges } from '../ledger-batch.ts';
import type { AccountState, KeyState, LedgerSnapshot, RequestState } from '../ledger-snapshot.ts';
import { formatMonth, getDay } from '../period.ts';
import { createReadSet } from '../read-set.ts';
import type { InterruptingLedger } from '../sweeper.ts';
import { commitChanges, type DecidedOn, readLedgerRows, type StoredRows, type Wanted } from './postgres-rows.ts';

/** How many rows of each kind are cached. Beyond that the oldest is dropped. */
const sizeLimit = 20_000;

/** The rows as this instance last saw them. Other instances write too, so every decision is checked again when it's written. */
interface LedgerCache extends LedgerSnapshot {
  add(rows: StoredRows): void;
  /** Caches a request while it runs; an ended one isn't needed again. */
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

/** A Map keeps insertion order, so its first entry is the one written longest ago. */
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

/**
 * How many groups may be under way at once. Each account belongs to one lane, so a group that waits for a row lock only delays
 * its own lane.
 */
const laneCount = 2;
const groupLimit = 128;
/** A group of this size is sent without waiting for more commands. */
const fullBatch = 16;
/**
 * How often a group is decided again because other instances wrote first. After that its commands run one at a time, each with
 * `commandTries`.
 */
const groupTries = 3;
const commandTries = 50;
const maxDelayMs = 20;

/**
 * The ledger on PostgreSQL (decision 040), with group commit: commands that arrive while a group is under way form the next
 * group. A group is decided on the rows that this instance last saw and written in one statement, if the stored rows still allow
 * every decision. No lock is held during a round trip.
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

  /** Decides and writes a group, then answers every command in it. */
  async function take(group: readonly Waiting[], tries: number): Promise<void> {
    try {
      const results = await settleGroup(
        group.map(({ command }) => command),
        tries,
      );
      if (results) return answer(group, results);
    } catch (error) {
      cache.forget(group.map(({ command }) => getRequest(command)));
      // A command that the database refuses must not fail its neighbours, so the group is retried one by one. Without a
      // connection, none could succeed.
      if (group.length === 1 || isConnectionLoss(error)) return group.forEach(({ reject }) => void reject(error));
    }
    for (const item of group) await take([item], commandTries);
  }

  /** Returns the results once they are written; null when other instances wrote first on every try. */
  async function settleGroup(
    commands: readonly LedgerCommand[],
    tries: number,
  ): Promise<readonly CommandResult[] | null> {
    let fresh = await loadMissing(commands);
    for (let tried = 0; tried < tries; tried += 1) {
      // Instances that collide repeatedly retry at random times.
      if (tried >= groupTries) await delay(Math.random() * Math.min(tried, maxDelayMs));
      const { results, changes, on } = decide(commands);
      // The cached rows may be stale, and somebody may just have been granted credits: a refusal is only final on fresh rows.
      if (!fresh && results.some(isRefusal)) {
        cache.add(await readLedgerRows(deps.db, getWanted(commands)));
        fresh = true;
        continue;
      }
      if (!changesAnything(changes) || (await write(changes, on))) return results;
      fresh = true;
    }
    if (commands.length > 1) return null;
    throw new AppError('server_overloaded', 'The account is too busy. Try again in a moment.', { retryAfterMs: 1_000 });
  }

  async function loadMissing(commands: readonly LedgerCommand[]): Promise<boolean> {
    const missing = getWanted(commands, cache);
    if (missing.accounts.size + missing.keys.size + missing.requests.size === 0) return false;
    cache.add(await readLedgerRows(deps.db, getWanted(commands)));
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

  async function write(changes: LedgerChanges, on: DecidedOn): Promise<boolean> {
    const answered = await commitChanges(deps.db, changes, on).catch((error: unknown) => {
      if (isRolledBack(error)) return null;
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

/**
 * Runs one group after the other. Commands that arrive in the same turn of the event loop, or while a group is under way, form
 * one group.
 */
function createLane<T>(run: (group: readonly T[]) => Promise<void>): (item: T) => void {
  const waiting: T[] = [];
  const next = async () => {
    const group = waiting.splice(0, groupLimit);
    if (waiting.length > 0) void requestBatch();
    await run(group);
  };
  const requestBatch = createBatches(next, () => waiting.length >= fullBatch);
  return (item) => {
    waiting.push(item);
    void requestBatch();
  };
}

function answer(group: readonly Waiting[], results: readonly CommandResult[]): void {
  for (const [index, { resolve, reject }] of group.entries()) {
    const result = results[index];
    if (result && 'value' in result) resolve(result.value as never);
    else reject(result?.error);
  }
}

const isRefusal = (result: CommandResult) => 'error' in result || result.value === false;

const changesAnything = ({ opened, raised, renewed, closed }: LedgerChanges) =>
  opened.length + raised.length + renewed.length + closed.length > 0;

/** PostgreSQL rolled the transaction back because of another one (deadlock or serialization failure): nothing was written. */
const isRolledBack = (error: unknown) =>
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
 * Returns the rows that commands need; with `known`, only those that aren't cached. A hold's request is assumed to be new: if it
 * isn't, the write fails and shows that.
 */
function getWanted(commands: readonly LedgerCommand[], known: LedgerSnapshot | null = null): Wanted {
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

/** Wraps a snapshot and records which rows were read through it: the write checks exactly those. */
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
        // A request that has ended never changes, so it needs no check.
        return row?.status === 'running' ? noted(requests, row) : row;
      },
    } satisfies LedgerSnapshot,
  };
}

/** Returns a hash of an id: the same account always uses the same lane. */
function toNumber(id: string): number {
  let number = 0;
  for (let index = 0; index < id.length; index += 1) number = (number * 31 + id.charCodeAt(index)) >>> 0;
  return number;
}
