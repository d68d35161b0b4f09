import { Hono } from 'hono';
import { sql } from 'kysely';
import { z } from 'zod';
import { AppError } from '#shared/errors.ts';
import { isOwnServer } from '#shared/known-providers.ts';
import { formatUsd, nanoUsd } from '#shared/money.ts';
import { type RequestRecord, type RequestStatus, requestStatus } from '#shared/wire/request-record.ts';
import type { AppEnv } from '../../http/context.ts';
import { endTime, flag, listFields, readQuery, startTime } from '../../http/query.ts';
import { dayMs } from '../../ledger/period.ts';
import { shortRouting } from '../../ledger/records/routing-details.ts';
import { getPage, getSlice, type Page, type PageRequest, unknownCursor } from '../../storage/cursor.ts';
import type { GatewayDb } from '../../storage/open-database.ts';
import type { RequestRow, UsageDailyRow } from '../../storage/schema.ts';

export interface RequestsQuery extends PageRequest {
  readonly status?: RequestStatus | undefined;
  readonly provider?: string | undefined;
  /** The model's own name, or `provider/model`. */
  readonly model?: string | undefined;
  readonly key?: string | undefined;
  readonly purpose?: string | undefined;
  readonly conversation_id?: string | undefined;
  /** The caller's own id, sent as `X-Client-Request-Id`. */
  readonly client_request_id?: string | undefined;
  readonly byok?: boolean | undefined;
  readonly start?: number | undefined;
  readonly end?: number | undefined;
}

/** Returns an account's requests in the order in which they were held, newest first by default (wire contract §10). */
export async function listRequests(
  db: GatewayDb,
  accountId: string,
  query: RequestsQuery,
): Promise<Page<RequestRecord>> {
  const { cursor } = getSlice(query);
  const from = cursor === undefined ? null : await findRow(db, accountId, cursor);
  if (from === undefined) throw unknownCursor(query);
  const rows = isNarrowed(query)
    ? await rowsDayByDay(db, accountId, query, from)
    : await rowsFrom(db, accountId, query, from, getSlice(query).take);
  return getPage(query, rows, (row) => withoutCandidates(toRecord(row)));
}

/**
 * True if the list is read in the order of time and many rows may have to be skipped. Purposes, conversations and the
 * callers' ids have their own indexes.
 */
const isNarrowed = ({ status, provider, model, key, byok, ...query }: RequestsQuery) =>
  query.conversation_id === undefined &&
  query.client_request_id === undefined &&
  [status, provider, model, key, byok].some((value) => value !== undefined);

/** Reads only the days that have such requests, one after the other, so that no statement reads more than a day. */
async function rowsDayByDay(db: GatewayDb, accountId: string, query: RequestsQuery, from: RequestRow | null) {
  const { direction, take } = getSlice(query);
  const { start = 0, end = Number.MAX_SAFE_INTEGER } = query;
  const days = await getDays(db, accountId, query);
  const rows: RequestRow[] = [];
  for (const day of direction === 'asc' ? days : days.toReversed()) {
    const begins = Date.parse(`${day}T00:00:00Z`);
    const period = { start: Math.max(start, begins), end: Math.min(end, begins + dayMs) };
    const isPassed = from !== null && (direction === 'asc' ? period.end <= from.created : period.start > from.created);
    if (isPassed || period.start >= period.end) continue;
    rows.push(...(await rowsFrom(db, accountId, { ...query, ...period }, from, take - rows.length)));
    if (rows.length === take) break;
  }
  return rows;
}

/**
 * Returns the days on which such requests began, earliest first. They come from the daily counters, which don't include
 * running requests, and from those that are still running.
 */
async function getDays(db: GatewayDb, accountId: string, query: RequestsQuery): Promise<string[]> {
  const { status, key, provider, model, byok } = query;
  const counted = db
    .selectFrom('usage_daily')
    .select('day')
    .where('account_id', '=', accountId)
    .$if(status !== undefined && status !== 'running', (rows) => rows.where('status', '=', status as EndedStatus))
    .$if(key !== undefined, (rows) => rows.where('key_id', '=', key ?? ''))
    .$if(provider !== undefined, (rows) => rows.where('provider', '=', provider ?? ''))
    .$if(model !== undefined, (rows) => rows.where(isOfModel(model ?? '')))
    .$if(byok !== undefined, (rows) => rows.where('byok', '=', byok ? 1n : 0n));
  const running = db
    .selectFrom('requests')
    .select('day')
    .where('status', '=', 'running')
    // The expression keeps the database from using the account's index. Few requests are running, and they have an
    // index of their own.
    .where(sql<boolean>`account_id || '' = ${accountId}`);
  // Running requests are read first: a request that ends in between is then found as running.
  const stillRunning = status === undefined || status === 'running' ? await running.distinct().execute() : [];
  const ended = status === 'running' ? [] : await counted.distinct().execute();
  return [...new Set([...stillRunning, ...ended].map(({ day }) => day))].sort();
}

type EndedStatus = UsageDailyRow['status'];

const isOfModel = (model: string) => sql<boolean>`(model = ${model} or provider || '/' || model = ${model})`;

function rowsFrom(
  db: GatewayDb,
  accountId: string,
  query: RequestsQuery,
  from: RequestRow | null,
  limit: number,
): Promise<RequestRow[]> {
  const { comparison, direction } = getSlice(query);
  return filtered(db, accountId, query)
    .$if(from !== null, (rest) =>
      rest.where(sql<boolean>`(created, id) ${sql.raw(comparison)} (${from?.created}, ${from?.id})`),
    )
    .orderBy('created', direction)
    .orderBy('id', direction)
    .limit(limit)
    .execute();
}

/** Returns one request of this account. Another account's request counts as missing. */
async function readRequest(db: GatewayDb, accountId: string, id: string): Promise<RequestRecord> {
  const row = await findRow(db, accountId, id);
  if (!row) throw new AppError('request_not_found', 'This account has no request with this id.');
  return toRecord(row);
}

/**
 * Leaves out the models that the router considered, because they would make up most of a list. They are only part of a
 * single request.
 */
function withoutCandidates({ routing, ...record }: RequestRecord): RequestRecord {
  return { ...record, routing: routing && shortRouting(routing) };
}

const findRow = (db: GatewayDb, accountId: string, id: string): Promise<RequestRow | undefined> =>
  db.selectFrom('requests').selectAll().where('id', '=', id).where('account_id', '=', accountId).executeTakeFirst();

function filtered(db: GatewayDb, accountId: string, query: RequestsQuery) {
  const { status, provider, model, key, purpose, byok, start, end } = query;
  const { conversation_id: conversation, client_request_id: clientId } = query;
  let rows = db.selectFrom('requests').selectAll().where('account_id', '=', accountId);
  if (status !== undefined) rows = rows.where('status', '=', status);
  if (provider !== undefined) rows = rows.where('provider', '=', provider);
  if (model !== undefined) rows = rows.where(isOfModel(model));
  if (key !== undefined) rows = rows.where('key_id', '=', key);
  if (purpose !== undefined) rows = rows.where('purpose', '=', purpose);
  if (conversation !== undefined) rows = rows.where('conversation_id', '=', conversation);
  if (clientId !== undefined) rows = rows.where('client_request_id', '=', clientId);
  if (byok !== undefined) rows = rows.where('byok', '=', byok ? 1n : 0n);
  if (start !== undefined) rows = rows.where('created', '>=', BigInt(start));
  if (end !== undefined) rows = rows.where('created', '<', BigInt(end));
  return rows;
}

const count = (value: bigint | null) => (value === null ? null : Number(value));

/** A server of the operator's own has answered, and neither a price nor a reported cost is known. */
const isCostUnknown = ({ price, upstream_cost, provider, prompt_tokens, completion_tokens }: RequestRow): boolean =>
  price === null &&
  upstream_cost === 0n &&
  prompt_tokens + completion_tokens > 0n &&
  provider !== null &&
  isOwnServer(provider);

const toRecord = (row: RequestRow): RequestRecord => ({
  id: row.id,
  object: 'request',
  created: Number(row.created / 1000n),
  provider: row.provider,
  model: row.model,
  status: row.status,
  error_code: row.error_code,
  purpose: row.purpose,
  conversation_id: row.conversation_id,
  prompt_tokens: Number(row.prompt_tokens),
  completion_tokens: Number(row.completion_tokens),
  total_tokens: Number(row.prompt_tokens + row.completion_tokens),
  cached_tokens: Number(row.cached_tokens),
  cache_write_tokens: Number(row.cache_write_tokens),
  reasoning_tokens: Number(row.reasoning_tokens),
  audio_tokens: Number(row.audio_tokens),
  cache_write_1h_tokens: Number(row.cache_write_1h_tokens),
  web_searches: Number(row.web_searches),
  image_tokens: Number(row.image_tokens),
  cost_usd: formatUsd(nanoUsd(row.charge)),
  upstream_cost_usd: isCostUnknown(row) ? null : formatUsd(nanoUsd(row.upstream_cost)),
  estimated: row.estimated === 1n,
  ...(row.cost_up_to > 0n ? { cost_up_to_usd: formatUsd(nanoUsd(row.cost_up_to)) } : {}),
  byok: row.byok === 1n,
  ...(row.byok === 1n ? { byok_fee_bps: Number(row.byok_fee_bps) } : {}),
  latency_ms: { first_token: count(row.first_token_ms), total: count(row.total_ms) },
  key_id: row.key_id,
  user: row.end_user,
  price: row.price === null ? null : JSON.parse(row.price),
  routing: row.routing === null ? null : JSON.parse(row.routing),
  metadata: JSON.parse(row.metadata),
});

const name = z.string().min(1, 'must not be empty').max(256).optional();
/** The query parameters of `GET /v1/requests`. */
export const requestsQuery = z.object({
  ...listFields,
  status: requestStatus.optional(),
  provider: name,
  model: name,
  key: name,
  purpose: name,
  conversation_id: name,
  client_request_id: name,
  byok: flag.optional(),
  start: startTime.optional(),
  end: endTime.optional(),
});

/**
 * Serves `GET /v1/requests` and `GET /v1/requests/{id}`: one record per request, never any content (wire contract §10).
 */
export function requestsRoutes({ db }: { readonly db: GatewayDb }): Hono<AppEnv> {
  return new Hono<AppEnv>()
    .get('/v1/requests', async (context) =>
      context.json(await listRequests(db, context.get('principal').accountId, readQuery(context, requestsQuery))),
    )
    .get('/v1/requests/:id{.+}', async (context) =>
      context.json(await readRequest(db, context.get('principal').accountId, context.req.param('id'))),
    );
}
