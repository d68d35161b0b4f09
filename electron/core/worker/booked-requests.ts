import type { Database } from 'better-sqlite3';
import { parseUsd } from '#shared/money.ts';
import type { RequestRecord } from '#shared/wire/request-record.ts';
import { parseRequestName } from '../runtime/named-request.ts';
import type { BookedRequest } from './judge-request.ts';
import { getRemoteRecords } from './remote-ledger.ts';

/** The ledger of an account: a file on this computer, or what was read from a remote gateway. */
export type AccountLedger =
  | { readonly file: string; readonly accountId: string; readonly ownKeys: readonly string[] }
  | {
      /** Identifies in the worker what was read (`remote-ledger.ts`). */
      readonly remoteLedgerId: string;
      /**
       * Null if everything was read. Otherwise how many of the newest requests, and since when; the rest is being read.
       */
      readonly part: { readonly requests: number; readonly since: number | null } | null;
      /** The gateway reports ledger lines, and they were read for all of these requests. */
      readonly lines: boolean;
      /** The id of this installation. Null if requests don't contain one. */
      readonly installation: string | null;
      readonly ownKeys: readonly string[];
    };

/** A request with the fields that find the app's record and price for it. */
export interface FoundRequest extends Omit<BookedRequest, 'own' | 'answering'> {
  /** The app's own name for the request. */
  readonly name: string | null;
  readonly fromChat: boolean;
}

/** Whether the app made the request for a chat with this key, on this computer or another one. */
const isChatRequest = (record: RequestRecord, own: readonly string[]): boolean =>
  record.key_id !== null && own.includes(record.key_id) && record.conversation_id !== null;

/** Attaches the ledger's file as `ledger`, next to the chats. */
export function attachLedger(db: Database, file: string): void {
  const attached = db.pragma('database_list') as { name: string }[];
  if (!attached.some(({ name }) => name === 'ledger')) db.prepare('attach database ? as ledger').run(file);
}

/** The sum of the ledger's lines for request `r`. */
export const ledgerOfRequest = `(
  coalesce((select -amount from ledger.ledger_entries where request_id = r.id and type = 'usage'), 0)
    + coalesce((select -amount from ledger.ledger_entries where request_id = r.id and type = 'byok_fee'), 0))`;

/** Whether this app made request `r` for a chat. `:ownKeys` are its keys, as JSON. */
export const wasAskedByChat = `(r.conversation_id is not null
  and coalesce(r.key_id in (select value from json_each(:ownKeys)), 0))`;

/** Yields the requests of an account, newest first. For a file, only those in `ids` (JSON). */
export function* foundRequests(
  db: Database,
  accountLedger: AccountLedger,
  isOwnKey: boolean,
  ids: string | null,
): Generator<FoundRequest> {
  if ('remoteLedgerId' in accountLedger) {
    for (const [record, line] of getRemoteRecords(accountLedger.remoteLedgerId))
      yield foundIn(record, accountLedger.lines ? parseUsd(line ?? '0') : null, accountLedger, isOwnKey);
    return;
  }
  const rows = db
    .prepare(requestsSql)
    .raw()
    .safeIntegers()
    .iterate({ ids, ownKeys: JSON.stringify(accountLedger.ownKeys) }) as IterableIterator<RequestColumns>;
  for (const row of rows) yield foundAs(row, isOwnKey);
}

const requestsSql = `
  select r.id, r.created, r.status, r.provider, r.model, r.byok, r.charge, r.upstream_cost,
    r.prompt_tokens + r.completion_tokens, r.price is not null, ${wasAskedByChat},
    case when r.conversation_id is null then null else r.client_request_id end, ${ledgerOfRequest}
  from ledger.requests r where r.id in (select value from json_each(:ids)) order by r.created desc, r.id desc`;

type RequestColumns = [
  id: string,
  created: bigint,
  status: string,
  provider: string,
  model: string,
  byok: bigint,
  charge: bigint,
  upstreamCost: bigint,
  tokens: bigint,
  priced: bigint,
  fromChat: bigint,
  name: string | null,
  ledger: bigint,
];

function foundAs(columns: RequestColumns, isOwnKey: boolean): FoundRequest {
  const [id, created, status, provider, model, byok, charge, upstreamCost, tokens, priced, fromChat, name, ledger] =
    columns;
  return {
    id,
    status,
    provider,
    model,
    charge,
    upstreamCost,
    ledger,
    name,
    at: Number(created),
    byok: byok === 1n,
    tokens: Number(tokens),
    priced: priced === 1n,
    ownKey: isOwnKey || byok === 1n,
    fromChat: fromChat === 1n,
    otherComputer: false,
  };
}

function foundIn(
  record: RequestRecord,
  ledger: bigint | null,
  { ownKeys, installation }: Pick<Extract<AccountLedger, { remoteLedgerId: string }>, 'ownKeys' | 'installation'>,
  isOwnKey: boolean,
): FoundRequest {
  const { client_request_id: written } = record.metadata;
  const name = written === undefined ? null : parseRequestName(written);
  const isChat = isChatRequest(record, ownKeys);
  const isOther = name !== null && name.installation !== null && name.installation !== installation;
  return {
    id: record.id,
    at: record.created * 1000,
    status: record.status,
    provider: record.provider,
    model: record.model,
    byok: record.byok,
    charge: parseUsd(record.cost_usd),
    upstreamCost: parseUsd(record.upstream_cost_usd ?? '0'),
    tokens: record.total_tokens,
    priced: record.price !== null,
    ledger,
    name: name?.id ?? null,
    ownKey: isOwnKey || record.byok,
    fromChat: isChat && !isOther,
    otherComputer: isChat && isOther,
  };
}
