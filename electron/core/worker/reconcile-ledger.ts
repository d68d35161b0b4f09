import type { Database } from 'better-sqlite3';
import type { Reconciliation } from '#shared/contract/app/reconciliation.ts';
import { formatUsd, nanoUsd, parseUsd } from '#shared/money.ts';
import { type AccountLedger, attachLedger, foundRequests, ledgerOfRequest, wasAskedByChat } from './booked-requests.ts';
import {
  type BookedRequest,
  bookedCost,
  judgeBooked,
  judgeUnbooked,
  type MatchedKind,
  type StoredRequest,
} from './judge-request.ts';

/** Requests of one kind that certainly match, so they needn't be judged one by one. Sums are in nano-USD. */
interface PlainRequests {
  readonly kind: (typeof plainKinds)[number];
  readonly count: number;
  readonly charge: bigint;
  /** The sum that the chats should show for them (`bookedCost`). */
  readonly booked: bigint;
  /** What providers bill to own keys for them, which neither record nor ledger charges. */
  readonly ownKeys: bigint;
}

const plainKinds = ['chats', 'deleted', 'otherPrograms'] as const;

/**
 * Sums up the requests for which usage record, ledger and chat clearly have the same amount, by the rules of
 * `judge-request.ts`. That is nearly all of them, so the database matches a large ledger in its own loop. `rest`
 * contains the ids of all others as JSON; they are judged one by one.
 */
function plainRequests(db: Database, accountId: string, ownKeys: readonly string[]) {
  db.function('nano_usd', { deterministic: true }, (usd: unknown) => parseUsd(String(usd)));
  const columns = db
    .prepare(plainSql)
    .raw()
    .safeIntegers()
    .get({ accountId, ownKeys: JSON.stringify(ownKeys) }) as [rest: string, ...sums: bigint[]];
  const [rest, ...sums] = columns;
  const plain = plainKinds.map((kind, index): PlainRequests => {
    const [count = 0n, charge = 0n, booked = 0n, own = 0n] = sums.slice(index * 4);
    return { kind, count: Number(count), charge, booked, ownKeys: own };
  });
  return { plain, rest };
}

const getSums = (kind: string) => `count(*) filter (where kind = '${kind}'),
  coalesce(sum(charge) filter (where kind = '${kind}'), 0), coalesce(sum(booked) filter (where kind = '${kind}'), 0),
  coalesce(sum(own_keys) filter (where kind = '${kind}'), 0)`;

/**
 * The first row in `spend` with a request's id is the one that counts. The subqueries have a limit because SQLite then
 * neither merges them into the sums, where each sum would repeat the lookup, nor stores them as a table: each row is
 * processed once.
 */
const plainSql = `
  with found as (
    select r.id, r.status, r.charge, iif(r.byok = 1, r.upstream_cost, r.charge) as booked,
      iif(r.byok = 1, r.upstream_cost, 0) as own_keys, ${ledgerOfRequest} as ledger,
      (select rowid from spend where request_id = r.id limit 1) as spend_row, ${wasAskedByChat} as asked_by_chat
    from ledger.requests r where r.account_id = :accountId limit -1
  ), judged as (
    select found.id, charge, booked, own_keys, case
      when status = 'running' or ledger <> charge then null
      when spend_row is null then iif(asked_by_chat, null, 'otherPrograms')
      when s.cost_usd is null or nano_usd(s.cost_usd) <> booked or (booked = 0 and status <> 'succeeded') then null
      when exists (select 1 from messages m where m.id = s.id and m.deletion is null) then 'chats'
      when s.purpose <> 'compact' then 'deleted'
    end as kind
    from found left join spend s on s.rowid = found.spend_row limit -1
  )
  select json_group_array(id) filter (where kind is null), ${plainKinds.map(getSums).join(', ')} from judged`;

export interface ReconcileInput {
  readonly accountLedger: AccountLedger;
  /** The account, as the app's own records name it. */
  readonly source: string;
  /** Providers charge the account's requests to the user's own keys. */
  readonly isOwnKey: boolean;
  /** The offset in the list of open rows. */
  readonly offset: number;
  readonly limit: number;
}

type OpenFound = Pick<
  Reconciliation['openRows'][number],
  'kind' | 'requestId' | 'spendId' | 'at' | 'provider' | 'model' | 'reportedUsd' | 'bookedUsd'
>;

export type Reconciled = Omit<Reconciliation, 'readAt' | 'part' | 'openRows'> & {
  readonly openRows: readonly OpenFound[];
};

const usd = (amount: bigint) => formatUsd(nanoUsd(amount));
const absolute = (amount: bigint) => (amount < 0n ? -amount : amount);

/**
 * Matches chats, usage records, ledger and balance by request. Runs in the worker, in one read transaction. All open
 * rows are counted, but only those from `offset` on are returned.
 */
export function reconcileLedger(db: Database, input: ReconcileInput): Reconciled {
  if ('file' in input.accountLedger) attachLedger(db, input.accountLedger.file);
  return db.transaction(() => reconciled(db, input))();
}

function reconciled(db: Database, { accountLedger, source, isOwnKey, offset, limit }: ReconcileInput): Reconciled {
  const tally = openTally(offset, limit);
  const explained = new Set(db.prepare(`select request_id from request_marks where mark = 'explained'`).pluck().all());
  const stored = storedRequests(db);
  const seen = new Set<string>();
  const { plain, rest } =
    'file' in accountLedger
      ? plainRequests(db, accountLedger.accountId, accountLedger.ownKeys)
      : { plain: [], rest: null };
  for (const found of plain) tally.plain(found);
  let oldest = 0;
  for (const { name, fromChat, ...found } of foundRequests(db, accountLedger, isOwnKey, rest)) {
    oldest = found.at;
    const record = stored.byRequestId(found.id) ?? (fromChat && name !== null ? stored.named(name) : null);
    if (record) seen.add(record.id);
    const answering = record === null && fromChat && name !== null && stored.isAnswering(name);
    tally.booked(
      { ...found, own: fromChat, answering },
      record,
      judgeBooked({ ...found, own: fromChat, answering }, record, explained.has(found.id)),
    );
  }
  const sent =
    'file' in accountLedger ? stored.sentWithoutRecord(source, accountLedger.accountId) : stored.sentTo(source, oldest);
  for (const record of sent)
    if (!seen.has(record.id))
      tally.unbooked(record, judgeUnbooked(record, explained.has(record.requestId ?? record.id)));
  const balance = 'file' in accountLedger ? getBalance(db, accountLedger.accountId) : null;
  return tally.result(balance, 'file' in accountLedger || accountLedger.lines);
}

/** The app's own records of requests. They still contain the costs of deleted messages and temporary chats. */
function storedRequests(db: Database) {
  const columns = `s.id, s.request_id as requestId, s.at, s.cost_usd as cost, s.conversation_id as conversationId,
    exists (select 1 from messages m where m.id = s.id and m.deletion is null)
      or (s.purpose = 'compact' and exists (select 1 from conversations c where c.id = s.conversation_id)) as there`;
  const byRequest = db.prepare(`select ${columns} from spend s where s.request_id = ?`);
  const byName = db.prepare(`select ${columns} from spend s where s.id = ? and s.request_id is null`);
  const sent = db.prepare(`select ${columns} from spend s where s.source = ? and s.at >= ? order by s.at desc`);
  const withoutRecord = () =>
    db.prepare(
      `select ${columns} from spend s where s.source = ? and not exists (
        select 1 from ledger.requests r where r.id = s.request_id and r.account_id = ?) order by s.at desc`,
    );
  const answering = db.prepare(`select 1 from messages where id = ? and status = 'streaming'`).pluck();
  type Row = Omit<StoredRequest, 'cost' | 'there'> & { cost: string | null; there: number };
  const read = (row: Row): StoredRequest => ({
    ...row,
    cost: row.cost === null ? null : parseUsd(row.cost),
    there: row.there === 1,
  });
  const find = (statement: typeof byRequest, key: string) => {
    const row = statement.get(key) as Row | undefined;
    return row ? read(row) : null;
  };
  return {
    byRequestId: (requestId: string) => find(byRequest, requestId),
    named: (name: string) => find(byName, name),
    isAnswering: (name: string) => answering.get(name) !== undefined,
    *sentTo(source: string, since: number) {
      for (const row of sent.iterate(source, since)) yield read(row as Row);
    },
    /** Yields sent requests whose id the ledger's file doesn't have. */
    *sentWithoutRecord(source: string, accountId: string) {
      for (const row of withoutRecord().iterate(source, accountId)) yield read(row as Row);
    },
  };
}

/** Returns nano-USD, read in the same transaction as the requests. */
function getBalance(db: Database, accountId: string): { balance: bigint; lines: bigint } {
  const [balance = 0n, lines = 0n] = db
    .prepare(
      `select balance, (select coalesce(sum(amount), 0) from ledger.ledger_entries where account_id = accounts.id)
      from ledger.accounts where id = ?`,
    )
    .raw()
    .safeIntegers()
    .get(accountId) as [bigint, bigint];
  return { balance, lines };
}

const isFromOtherProgram = (kind: MatchedKind): boolean => kind === 'otherPrograms' || kind === 'otherComputers';

function openTally(offset: number, limit: number) {
  const kinds: Record<MatchedKind, number> = {
    chats: 0,
    deleted: 0,
    otherPrograms: 0,
    otherComputers: 0,
    uncharged: 0,
    unknown: 0,
    explained: 0,
  };
  const openRows: OpenFound[] = [];
  const sums = { chats: 0n, otherPrograms: 0n, records: 0n, ledger: 0n, ownKeys: 0n };
  let requests = 0;
  let running = 0;
  let openCount = 0;
  let difference = 0n;

  function count(
    verdict: ReturnType<typeof judgeBooked>,
    row: () => Omit<OpenFound, 'kind' | 'reportedUsd' | 'bookedUsd'>,
  ) {
    if (verdict.is === 'running') {
      running += 1;
      return;
    }
    requests += 1;
    if (verdict.is === 'matched') {
      kinds[verdict.kind] += 1;
      return;
    }
    const { kind, chatCost, booked } = verdict;
    difference += absolute((chatCost ?? 0n) - (booked ?? 0n));
    if (openCount >= offset && openRows.length < limit)
      openRows.push({
        ...row(),
        kind,
        reportedUsd: chatCost === null ? null : usd(chatCost),
        bookedUsd: booked === null ? null : usd(booked),
      });
    openCount += 1;
  }

  return {
    plain({ kind, count: found, charge, booked, ownKeys }: PlainRequests): void {
      kinds[kind] += found;
      requests += found;
      sums.records += charge;
      sums.ownKeys += ownKeys;
      // The ledger's lines equal the charge, otherwise these requests wouldn't be in this group.
      sums.ledger += charge;
      sums[kind === 'otherPrograms' ? 'otherPrograms' : 'chats'] += booked;
    },
    booked(request: BookedRequest, stored: StoredRequest | null, verdict: ReturnType<typeof judgeBooked>): void {
      const { id, at, provider, model, charge, ledger } = request;
      count(verdict, () => ({ requestId: id, spendId: stored?.id ?? null, at, provider, model }));
      if (verdict.is === 'running') return;
      sums.records += charge;
      sums.ledger += ledger ?? 0n;
      if (request.byok) sums.ownKeys += request.upstreamCost;
      sums.chats += stored?.cost ?? 0n;
      if (verdict.is === 'matched' && isFromOtherProgram(verdict.kind)) sums.otherPrograms += bookedCost(request);
    },
    unbooked(stored: StoredRequest, verdict: ReturnType<typeof judgeUnbooked>): void {
      const { id, requestId, at, cost } = stored;
      count(verdict, () => ({ requestId, spendId: id, at, provider: null, model: null }));
      sums.chats += cost ?? 0n;
    },
    result(balance: { balance: bigint; lines: bigint } | null, hasLedger: boolean): Reconciled {
      const off = balance ? absolute(balance.balance - balance.lines) : 0n;
      return {
        requests,
        matched: requests - openCount,
        kinds,
        running,
        openRows,
        openCount,
        sums: {
          chatsUsd: usd(sums.chats),
          otherProgramsUsd: usd(sums.otherPrograms),
          recordsUsd: usd(sums.records),
          ownKeysUsd: usd(sums.ownKeys),
          ledgerUsd: hasLedger ? usd(sums.ledger) : null,
        },
        balance: balance && { usd: usd(balance.balance), linesUsd: usd(balance.lines) },
        differenceUsd: usd(difference + off),
      };
    },
  };
}
