import type { Database } from 'better-sqlite3';
import { type PriceFields, parsePricing, priceFields, rowOn } from '#gateway/models/prices/price-document.ts';
import { priceFromJson } from '#gateway/models/prices/price-json.ts';
import { heldOn } from '#gateway/models/prices/price-rows.ts';
import { originOfPrice, shippedBook } from '#gateway/models/prices/shipped-book.ts';
import type { Drift, DriftRow } from '#shared/contract/app/reconciliation.ts';
import { formatUsd, nanoUsd, parseUsd } from '#shared/money.ts';
import { getCost, type Price, type TokenUsage } from '#shared/price.ts';
import type { RequestRecord } from '#shared/wire/request-record.ts';
import { type AccountLedger, attachLedger } from './booked-requests.ts';
import { getRemoteRecords } from './remote-ledger.ts';

/** Prices with a single rate per kind of token, for prompts up to `upTo` tokens. In pico-USD per token. */
interface FlatPrice {
  readonly price: string;
  readonly prompt: string;
  readonly cached: string;
  readonly completion: string;
  readonly upTo: number;
}

/**
 * Converts prices to the JSON that the SQL condition needs, by their texts. Prices with more than one rate per kind are
 * left out.
 */
function flatPrices(prices: Iterable<readonly [text: string, price: Price | null]>): string {
  const flat: FlatPrice[] = [];
  for (const [text, price] of prices) {
    if (price?.request !== 0n || price.reasoning != null) continue;
    flat.push({
      price: text,
      prompt: `${price.prompt}`,
      cached: `${price.cacheRead ?? price.prompt}`,
      completion: `${price.completion}`,
      upTo: price.tiers[0]?.minPromptTokens ?? Number.MAX_SAFE_INTEGER,
    });
  }
  return JSON.stringify(flat);
}

const flatTable = `flat as materialized (
  select value ->> 'price' as price, cast(value ->> 'prompt' as integer) as prompt,
    cast(value ->> 'cached' as integer) as cached, cast(value ->> 'completion' as integer) as completion,
    value ->> 'upTo' as up_to
  from json_each(:flat))`;

const pico = `(max(0, r.prompt_tokens - r.cached_tokens) * flat.prompt + r.cached_tokens * flat.cached
  + r.completion_tokens * flat.completion)`;

/**
 * Whether request `r` was billed within half a percent of its price, which is joined as `flat`. Such a request is
 * certainly within one percent without being priced exactly. That is true of nearly all requests, and the database
 * finds them in its own loop.
 */
const isEvident = `(flat.price is not null and r.prompt_tokens <= flat.up_to
  and r.cache_write_tokens = 0 and r.audio_tokens = 0 and r.web_searches = 0 and r.image_tokens = 0
  and (case when r.byok = 1 then r.upstream_cost else r.charge end) * 1000
    between ${pico} - ${pico} / 200 and ${pico} + ${pico} / 200)`;

export interface DriftInput {
  readonly accountLedger: AccountLedger;
  readonly offset: number;
  readonly limit: number;
}

export type DriftFound = Pick<
  DriftRow,
  'requestId' | 'at' | 'provider' | 'model' | 'billedUsd' | 'expectedUsd' | 'perMille'
>;
export type DriftsFound = Omit<Drift, 'rows'> & { readonly rows: readonly DriftFound[] };

/** A finished request, with the price by which it was billed. */
interface Billed {
  readonly id: string;
  readonly at: number;
  readonly provider: string;
  readonly model: string;
  /** In nano-USD: what the gateway charged, or for a caller's own key what the provider charges. */
  readonly billed: bigint;
  /** The price that the gateway used, as JSON. Null if the provider reported the cost itself. */
  readonly price: string | null;
  readonly usage: TokenUsage;
}

/** A gateway that rounds each charge to micro-dollars doesn't count as deviating. */
const roundingNano = 1_000n;

/** Results per ledger file. Ended requests never change, so only later ones are checked again. */
const checkedLedgers = new Map<string, { until: number; checked: number; rows: DriftFound[] }>();

/** Finds requests whose charge differs by more than 1 % from tokens × price, newest first. Runs in the worker. */
export function priceDrift(db: Database, { accountLedger, offset, limit }: DriftInput): DriftsFound {
  const explained = new Set(db.prepare('select request_id from request_marks').pluck().all());
  const { checked, rows } =
    'file' in accountLedger
      ? inFile(db, accountLedger.file, accountLedger.accountId)
      : inRecords(accountLedger.remoteLedgerId);
  const open = rows.filter(({ requestId }) => !explained.has(requestId));
  return { checked, count: open.length, rows: open.slice(offset, offset + limit) };
}

function inFile(db: Database, file: string, accountId: string) {
  attachLedger(db, file);
  const before = checkedLedgers.get(accountId) ?? { until: 0, checked: 0, rows: [] };
  const priceAt = pricesByDay(db);
  // A running request may have begun before others that have ended.
  const until = db
    .prepare(
      `select coalesce(min(created), (select max(created) + 1 from ledger.requests where account_id = :id), 0)
      from ledger.requests where account_id = :id and status = 'running'`,
    )
    .pluck()
    .get({ id: accountId }) as number;
  const rows: DriftFound[] = [];
  const part = { id: accountId, from: before.until, until };
  const texts = db.prepare(pricesSql).pluck().all(part) as string[];
  const flat = flatPrices(texts.map((text) => [text, readPrice(text)]));
  const found = db
    .prepare(doubtfulSql)
    .raw()
    .safeIntegers()
    .iterate({ ...part, flat });
  for (const row of found as IterableIterator<BilledColumns>) {
    const drift = getDrift(billedIn(row), priceAt);
    if (drift) rows.push(drift);
  }
  const checked = before.checked + (db.prepare(countSql).pluck().get(part) as number);
  const now = { until: Math.max(until, before.until), checked, rows: [...rows.reverse(), ...before.rows] };
  checkedLedgers.set(accountId, now);
  return now;
}

const billed = `r.account_id = :id and r.created >= :from and r.created < :until
    and (r.status = 'succeeded' or r.charge > 0) and r.prompt_tokens + r.completion_tokens > 0`;
const pricesSql = `select distinct r.price from ledger.requests r where ${billed} and r.price is not null`;
const countSql = `select count(*) from ledger.requests r where ${billed}`;
const doubtfulSql = `
  with ${flatTable}
  select id, created, provider, model, case when byok = 1 then upstream_cost else charge end, r.price,
    prompt_tokens, completion_tokens, cached_tokens, cache_write_tokens, reasoning_tokens, audio_tokens,
    cache_write_1h_tokens, web_searches, image_tokens
  from ledger.requests r left join flat on flat.price = r.price where ${billed} and not ${isEvident}
  order by created, id`;

type BilledColumns = [
  id: string,
  created: bigint,
  provider: string,
  model: string,
  billed: bigint,
  price: string | null,
  ...tokens: bigint[],
];

function billedIn([id, created, provider, model, billed, price, ...tokens]: BilledColumns): Billed {
  const [
    prompt = 0,
    completion = 0,
    cached = 0,
    written = 0,
    reasoning = 0,
    audio = 0,
    hour = 0,
    searches = 0,
    image = 0,
  ] = tokens.map(Number);
  return {
    id,
    provider,
    model,
    billed,
    price,
    at: Number(created),
    usage: {
      promptTokens: prompt,
      completionTokens: completion,
      cachedTokens: cached,
      cacheWriteTokens: written,
      reasoningTokens: reasoning,
      audioTokens: audio,
      cacheWriteHourTokens: hour,
      searches,
      imageTokens: image,
    },
  };
}

function inRecords(ledgerId: string) {
  const rows: DriftFound[] = [];
  let checked = 0;
  for (const [record] of getRemoteRecords(ledgerId)) {
    const { status, cost_usd, total_tokens } = record;
    if (status === 'running' || (status !== 'succeeded' && cost_usd === '0') || total_tokens === 0) continue;
    checked += 1;
    const drift = getDrift(billedBy(record), () => null);
    if (drift) rows.push(drift);
  }
  return { checked, rows };
}

const billedBy = (record: RequestRecord): Billed => ({
  id: record.id,
  at: record.created * 1000,
  provider: record.provider ?? '',
  model: record.model ?? '',
  billed: parseUsd((record.byok ? record.upstream_cost_usd : record.cost_usd) ?? '0'),
  price: record.price && JSON.stringify(record.price),
  usage: {
    promptTokens: record.prompt_tokens,
    completionTokens: record.completion_tokens,
    cachedTokens: record.cached_tokens,
    cacheWriteTokens: record.cache_write_tokens,
    reasoningTokens: record.reasoning_tokens,
    audioTokens: record.audio_tokens ?? 0,
    cacheWriteHourTokens: record.cache_write_1h_tokens ?? 0,
    searches: record.web_searches ?? 0,
    imageTokens: record.image_tokens ?? 0,
  },
});

/** Returns null if the charge is as expected, or if there is no price to compute an expectation. */
function getDrift(request: Billed, priceAt: (model: string, day: string) => Price | null): DriftFound | null {
  const { id, at, provider, model, billed, usage } = request;
  const price = request.price === null ? priceAt(`${provider}/${model}`, getDay(at)) : readPrice(request.price);
  if (!price) return null;
  const expected = getCost(price, usage);
  const off = billed - expected;
  const far = off < 0n ? -off : off;
  if (far <= roundingNano || far * 100n <= expected) return null;
  const perMille = expected === 0n ? 1_000_000 : Number((off * 1000n) / expected);
  return {
    requestId: id,
    at,
    provider,
    model,
    perMille,
    billedUsd: formatUsd(nanoUsd(billed)),
    expectedUsd: formatUsd(expected),
  };
}

const read = new Map<string, Price | null>();

/** Many requests share few prices, so each price is parsed once. The cache is cleared when it is full. */
function readPrice(text: string): Price | null {
  const known = read.get(text);
  if (known !== undefined) return known;
  if (read.size >= 10_000) read.clear();
  let price: Price | null = null;
  try {
    price = priceFromJson(text);
  } catch {
    // Another gateway writes prices differently. There is no expectation then.
  }
  read.set(text, price);
  return price;
}

/**
 * Returns prices by day, for requests whose provider reported the cost itself: those that the user entered, otherwise
 * refreshed or shipped ones.
 */
function pricesByDay(db: Database): (model: string, day: string) => Price | null {
  const added = (
    db
      .prepare('select model, kind, source, as_of, valid_from, price from ledger.price_rows order by seq')
      .raw()
      .all() as [string, 'override' | 'refresh', string, string, string, string | null][]
  ).map(([model, kind, source, asOf, from, price]) => ({
    model,
    kind,
    source,
    asOf,
    from,
    price: price === null ? null : (priceFields.parse(JSON.parse(price)) as PriceFields),
  }));
  return (model, day) => {
    const own = added.filter((row) => row.model === model);
    const held = heldOn(
      own.filter(({ kind }) => kind === 'override'),
      day,
    );
    const row = held?.price
      ? held
      : heldOn(
          own.filter(({ kind }) => kind === 'refresh'),
          day,
        );
    if (row?.price) return parsePricing(row.price, row.asOf, row.source);
    const entry = shippedBook.models.find(({ id }) => id === model);
    const shipped = entry && rowOn(entry.rows, day);
    if (!entry || !shipped) return null;
    const { asOf, source } = originOfPrice(entry);
    return parsePricing(shipped, asOf, source);
  };
}

const getDay = (timeMs: number): string => new Date(timeMs).toISOString().slice(0, 10);
