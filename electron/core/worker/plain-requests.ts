import type { Database } from 'better-sqlite3';
import { parseUsd } from '#shared/money.ts';
import { ledgerOfRequest, wasAskedByChat } from './booked-requests.ts';

/** What needs no second look: matched requests of one kind. Sums in nano-USD. */
export interface PlainRequests {
  readonly kind: (typeof plainKinds)[number];
  readonly count: number;
  readonly charge: bigint;
  /** What a chat has to say of them (`bookedCost`). */
  readonly booked: bigint;
}

const plainKinds = ['chats', 'deleted', 'otherPrograms'] as const;

/**
 * Adds up the requests of an account of which usage record, ledger and chat evidently say one amount, by the rules of
 * `judge-request.ts`: nearly all of them, so that large books are matched in the database's own loop. `rest`: the ids of all
 * others, to be judged one by one, as JSON.
 */
export function plainRequests(db: Database, accountId: string, ownKeys: readonly string[]) {
  db.function('nano_usd', { deterministic: true }, (usd: unknown) => parseUsd(String(usd)));
  const columns = db
    .prepare(plainSql)
    .raw()
    .safeIntegers()
    .get({ accountId, ownKeys: JSON.stringify(ownKeys) }) as [rest: string, ...sums: bigint[]];
  const [rest, ...sums] = columns;
  const plain = plainKinds.map((kind, at): PlainRequests => {
    const [count = 0n, charge = 0n, booked = 0n] = sums.slice(at * 3);
    return { kind, count: Number(count), charge, booked };
  });
  return { plain, rest };
}

const getSums = (kind: string) => `count(*) filter (where kind = '${kind}'),
  coalesce(sum(charge) filter (where kind = '${kind}'), 0), coalesce(sum(booked) filter (where kind = '${kind}'), 0)`;

/**
 * A message's or another request's row that says something of a request is the first one with its id. A subquery with a limit
 * is neither merged into the sums, where each of them would look everything up again, nor kept as a table: a row goes through once.
 */
const plainSql = `
  with found as (
    select r.id, r.status, r.charge, iif(r.byok = 1, r.upstream_cost, r.charge) as booked, ${ledgerOfRequest} as ledger,
      (select rowid from spend where request_id = r.id limit 1) as told, ${wasAskedByChat} as asked_by_chat
    from ledger.requests r where r.account_id = :accountId limit -1
  ), judged as (
    select found.id, charge, booked, case
      when status = 'running' or ledger <> charge then null
      when told is null then iif(asked_by_chat, null, 'otherPrograms')
      when s.cost_usd is null or nano_usd(s.cost_usd) <> booked or (booked = 0 and status <> 'succeeded') then null
      when exists (select 1 from messages m where m.id = s.id and m.deletion is null) then 'chats'
      when s.purpose <> 'compact' then 'deleted'
    end as kind
    from found left join spend s on s.rowid = found.told limit -1
  )
  select json_group_array(id) filter (where kind is null), ${plainKinds.map(getSums).join(', ')} from judged`;
