import { CompiledQuery } from 'kysely';
import type { GatewayDb } from '../../storage/open-database.ts';
import {
  type ChargeEntry,
  type ClosedRequest,
  closedRow,
  type LedgerChanges,
  type OpenedRequest,
} from '../ledger-batch.ts';
import type { AccountState, KeyState, RequestState } from '../ledger-snapshot.ts';
import type { Margin, ReadSet } from '../read-set.ts';

/**
 * Reads ledger rows and writes a group of events on PostgreSQL, in one statement each. The SQL functions are in migration
 * 0013-group-commit.
 */

export interface StoredRows {
  readonly accounts: readonly AccountState[];
  readonly keys: readonly KeyState[];
  readonly requests: readonly RequestState[];
}

export interface Wanted {
  readonly accounts: ReadonlySet<string>;
  readonly keys: ReadonlySet<string>;
  readonly requests: ReadonlySet<string>;
}

/** The rows that a group was decided on, as they were read. */
export interface DecidedOn {
  readonly accounts: ReadonlyMap<string, AccountState>;
  readonly keys: ReadonlyMap<string, KeyState>;
  /** Only the requests that were running. */
  readonly requests: ReadonlyMap<string, RequestState>;
  /** Leases that must be unchanged. */
  readonly leases: ReadonlyMap<string, bigint>;
  readonly readSet: ReadSet;
  /** The day and the month that quotas and limits are counted in. */
  readonly day: string;
  readonly month: string;
}

interface Answer extends StoredRows {
  readonly committed: boolean;
}

/** Reads requests with their accounts and keys, and keys with all their ancestors. */
export async function readLedgerRows(db: GatewayDb, { accounts, keys, requests }: Wanted): Promise<StoredRows> {
  return ask(db, 'select portico_books($1, $2, $3) as answer', [[...accounts], [...keys], [...requests]]);
}

/** Writes a group if the stored rows still allow what was decided, otherwise nothing. Returns the rows as they are afterwards. */
export function commitChanges(db: GatewayDb, changes: LedgerChanges, basis: DecidedOn): Promise<Answer> {
  const accounts = [...changes.accounts];
  const finals = new Map(accounts.map(({ id, balance }) => [id, balance]));
  const statement = 'select portico_commit($1, $2, $3, $4, $5, $6, $7, $8, $9) as answer';
  return ask(db, statement, [
    JSON.stringify(accounts.map((after) => accountGuard(after, basis))),
    rowsText([...changes.keys], (after) => keyGuard(after, basis)),
    rowsText([...basis.requests.values()], ({ id, hold }) => ({
      id,
      hold: `${hold}`,
      lease: text(basis.leases.get(id)),
    })),
    rowsText(changes.opened, openedTexts),
    rowsText(changes.raised, plain),
    rowsText(changes.renewed, plain),
    rowsText(changes.closed, closedTexts),
    rowsText(changes.entries, (entry) => entryTexts(entry, entry.balance_after - read(finals, entry.account_id))),
    rowsText(changes.usage, plain),
  ]);
}

// The rows that every request writes list their bigint columns by hand: searching all columns for them takes longer than writing
// the row.
const openedTexts = (row: OpenedRequest) => ({
  ...row,
  created: `${row.created}`,
  byok: `${row.byok}`,
  hold: `${row.hold}`,
  lease_until: `${row.lease_until}`,
});

function closedTexts(end: ClosedRequest) {
  const row = closedRow(end);
  const { requestId: id } = end.settlement;
  const amounts = {
    charge: `${row.charge}`,
    upstream_cost: `${row.upstream_cost}`,
    cost_up_to: `${row.cost_up_to}`,
  };
  return { ...row, id, ended: `${row.ended}`, ...amounts };
}

const entryTexts = (entry: ChargeEntry, beyond: bigint) => ({
  ...entry,
  amount: `${entry.amount}`,
  balance_after: `${entry.balance_after}`,
  created: `${entry.created}`,
  estimated: `${entry.estimated}`,
  beyond: `${beyond}`,
});

const rowsText = <Row>(rows: readonly Row[], toPlain: (row: Row) => object) =>
  rows.length === 0 ? null : JSON.stringify(rows.map(toPlain));

const text = (value: bigint | null | undefined) => (value === null || value === undefined ? null : `${value}`);

/** JSON numbers can't hold 64-bit integers, so they are sent as text. */
function plain(row: object): Record<string, unknown> {
  const copy: Record<string, unknown> = { ...row };
  for (const name in copy) if (typeof copy[name] === 'bigint') copy[name] = `${copy[name]}`;
  return copy;
}

/**
 * The bounds that a stored number must lie between. `reversed` swaps them for a number that counts upward to a limit, where less
 * is harmless.
 */
const minText = ({ fall }: Margin, value: bigint) => text(fall === null ? null : value - fall);
const maxText = ({ rise }: Margin, value: bigint) => text(rise === null ? null : value + rise);
const reversed = ({ fall, rise }: Margin): Margin => ({ fall: rise, rise: fall });

function accountGuard(after: AccountState, { accounts, readSet, day, month }: DecidedOn) {
  const before = read(accounts, after.id);
  const margins = readSet.account(after.id);
  const funds = before.balance - before.held;
  const spent = (before.month === month ? before.month_used : 0n) + before.held;
  const spentToday = (before.day === day ? before.day_used : 0n) + before.held;
  const sameDay = after.day === before.day;
  const sameMonth = after.month === before.month;
  const added = {
    balance: after.balance - before.balance,
    held: after.held - before.held,
    used: after.used - before.used,
    day_requests: after.day_requests - (sameDay ? before.day_requests : 0n),
    day_used: after.day_used - (sameDay ? before.day_used : 0n),
    month_used: after.month_used - (sameMonth ? before.month_used : 0n),
  };
  return {
    id: after.id,
    plan: before.plan,
    day: before.day,
    month: before.month,
    counted_month: month,
    funds_min: minText(margins.funds, funds),
    funds_max: maxText(margins.funds, funds),
    month_min: minText(reversed(margins.month), spent),
    month_max: maxText(reversed(margins.month), spent),
    day_min: minText(reversed(margins.day), before.day_requests),
    day_max: maxText(reversed(margins.day), before.day_requests),
    day_limit: text(before.day_limit),
    month_limit: text(before.month_limit),
    unlimited_key: before.unlimited_key,
    counted_day: day,
    spent_min: minText(reversed(margins.spent), spentToday),
    spent_max: maxText(reversed(margins.spent), spentToday),
    changed:
      !sameDay ||
      !sameMonth ||
      after.model_limits !== before.model_limits ||
      Object.values(added).some((sum) => sum !== 0n),
    ...plain(added),
    model_limits: before.model_limits,
    new_model_limits: after.model_limits,
    new_day: after.day,
    new_month: after.month,
  };
}

function keyGuard(after: KeyState, { keys, readSet }: DecidedOn) {
  const before = read(keys, after.id);
  const margins = readSet.key(after.id);
  const left = (before.spend_limit ?? 0n) - before.spent - before.held;
  return {
    id: after.id,
    parent_id: before.parent_id,
    limited: before.spend_limit !== null,
    left_min: minText(margins, left),
    left_max: maxText(margins, left),
    held: `${after.held - before.held}`,
    spent: `${after.spent - before.spent}`,
  };
}

function read<Row>(rows: ReadonlyMap<string, Row>, id: string): Row {
  const row = rows.get(id);
  if (row === undefined) throw new Error(`${id} was changed and not read`);
  return row;
}

type Texts = readonly (string | null)[];

interface RawAnswer {
  readonly committed: boolean;
  readonly accounts: readonly Texts[] | null;
  readonly keys: readonly Texts[] | null;
  readonly requests: readonly Texts[] | null;
}

async function ask(db: GatewayDb, statement: string, values: readonly unknown[]): Promise<Answer> {
  const { rows } = await db.executeQuery<{ answer: RawAnswer }>(CompiledQuery.raw(statement, [...values]));
  const answer = rows[0]?.answer;
  if (!answer) throw new Error('the books answered nothing');
  return {
    committed: answer.committed,
    accounts: (answer.accounts ?? []).map(getAccount),
    keys: (answer.keys ?? []).map(getKey),
    requests: (answer.requests ?? []).map(getRequest),
  };
}

const word = (value: string | null | undefined): string => {
  if (typeof value !== 'string') throw new Error('a row of the books lacks a column');
  return value;
};
const sum = (value: string | null | undefined): bigint => BigInt(word(value));

const limit = (value: string | null | undefined): bigint | null => (value == null ? null : BigInt(value));

// biome-ignore format: columns in their order
const getAccount = ([
  id, plan, day, month, balance, held, used, dayRequests, monthUsed, dayUsed, dayLimit, monthLimit, unlimitedKey,
  modelLimits,
]: Texts): AccountState => ({
  id: word(id),
  plan: word(plan),
  day: word(day),
  month: word(month),
  balance: sum(balance),
  held: sum(held),
  used: sum(used),
  day_requests: sum(dayRequests),
  month_used: sum(monthUsed),
  day_used: sum(dayUsed),
  day_limit: limit(dayLimit),
  month_limit: limit(monthLimit),
  unlimited_key: unlimitedKey ?? null,
  model_limits: modelLimits ?? null,
});

const getKey = ([id, parent, maxText, spent, held]: Texts): KeyState => ({
  id: word(id),
  parent_id: parent ?? null,
  spend_limit: limit(maxText),
  spent: sum(spent),
  held: sum(held),
});

const getRequest = ([
  id,
  account,
  key,
  day,
  status,
  byok,
  hold,
  lease,
  charge,
  provider,
  model,
]: Texts): RequestState => ({
  id: word(id),
  account_id: word(account),
  key_id: key ?? null,
  day: word(day),
  provider: word(provider),
  model: word(model),
  byok: sum(byok),
  hold: sum(hold),
  lease_until: sum(lease),
  status: word(status) as RequestState['status'],
  charge: sum(charge),
});
