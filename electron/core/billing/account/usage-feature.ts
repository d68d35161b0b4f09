import type { RequestsQuery } from '#shared/client/gateway-client.ts';
import { GatewayError } from '#shared/client/gateway-error.ts';
import type { ReportedUsage } from '#shared/client/reported.ts';
import type {
  UsageGroupId,
  UsageGrouping,
  UsageInsights,
  UsageLine,
  UsagePeriod,
  UsageReport,
} from '#shared/contract/app/usage.ts';
import type { BillingAccount } from '#shared/contract/common/fields.ts';
import { addDays, dayIn, daysBetween } from '#shared/days.ts';
import { formatUsd, nanoUsd } from '#shared/money.ts';
import type { RequestRecord } from '#shared/wire/request-record.ts';
import type { Connections, Payer } from '../../gateways/connection/connections.ts';
import { askGateway } from '../../gateways/connection/gateway-errors.ts';
import { ledgerModelName, type Naming } from '../../gateways/connection/model-facts.ts';
import { pause } from '../../runtime/streams/pace.ts';
import { tablePieces } from '../../runtime/streams/table-pieces.ts';
import type { CoreContext } from '../../storage/core-context.ts';
import { costOfRecord } from '../costs/cost.ts';
import type { SpendStore } from '../costs/spend-store.ts';
import { bucketsByDay, getSeconds, ifGrouped } from './ask-usage.ts';
import { readUsageReport } from './read-usage-report.ts';
import { type GroupDeps, getKey, groupsFor } from './usage-groups.ts';
import { getSums } from './usage-sums.ts';

const pageSize = 100;
/** If the gateway can't filter by a group, up to this many pages are searched for matching requests. */
const maxPages = 20;

interface LineDeps extends GroupDeps {
  readonly spend: Pick<SpendStore, 'getUses'>;
}

/**
 * Turns the records of an account (`Payer.source`) into lines. Those that this app requested also get their chat and
 * message.
 */
async function getLines(
  { modelFacts, spend }: Pick<LineDeps, 'modelFacts' | 'spend'>,
  source: string,
  records: readonly RequestRecord[],
): Promise<UsageLine[]> {
  const uses = await spend.getUses(records.map(({ id }) => id));
  return records.map((record) => {
    const { costUsd, costSource } = costOfRecord(record, source);
    return {
      id: record.id,
      created: record.created,
      status: record.status,
      error_code: record.error_code,
      provider: record.provider,
      model: record.model,
      key: record.key_id,
      purpose: record.purpose,
      name: record.model && ledgerModelName(modelFacts, record.provider, record.model),
      prompt_tokens: record.prompt_tokens,
      cached_tokens: record.cached_tokens,
      cache_write_tokens: record.cache_write_tokens,
      completion_tokens: record.completion_tokens,
      reasoning_tokens: record.reasoning_tokens,
      cost_usd: costUsd,
      provenance: costSource,
      use: uses.get(record.id) ?? null,
    };
  });
}

/**
 * Returns the gateway's filter for a group. Null if the gateway has none and the app must filter the records itself.
 */
function narrowedBy(grouping: UsageGrouping, { kind, id, provider }: UsageGroupId): RequestsQuery | null {
  if (kind !== 'named' || id === null) return null;
  switch (grouping) {
    case 'model':
      return { model: provider === null ? id : `${provider}/${id}` };
    case 'provider':
      return { provider: id };
    case 'key':
      return { key: id };
    case 'purpose':
      return { purpose: id };
    case 'conversation':
      return { conversation_id: id };
    case 'status':
      return id === 'succeeded' || id === 'failed' || id === 'cancelled' || id === 'running' ? { status: id } : null;
    case 'folder':
    case 'provenance':
      return null;
  }
}

interface LinesAsked {
  readonly groupBy: UsageGrouping;
  readonly group: UsageGroupId | null;
  readonly period: UsagePeriod;
  readonly after?: string | null | undefined;
}

/**
 * Returns a page of the requests behind a bar of the chart, newest first. `after` is the cursor of the next page, or
 * null at the end.
 */
async function readLines(
  deps: LineDeps,
  { client, source }: Pick<Payer, 'client' | 'source'>,
  { groupBy, group, period, after }: LinesAsked,
  signal: AbortSignal,
): Promise<{ data: UsageLine[]; after: string | null }> {
  const narrowed = group && narrowedBy(groupBy, group);
  const query = { limit: pageSize, ...getSeconds(period), ...narrowed };
  const found: RequestRecord[] = [];
  let last = after ?? null;
  for (let pages = 0; pages < maxPages && found.length < pageSize; pages += 1) {
    const page = await askGateway(() => client.requests({ ...query, ...(last ? { after: last } : {}) }, { signal }));
    const records = page.data.filter(({ status }) => status !== 'running');
    found.push(...(group && !narrowed ? await ofGroup(records, group) : records));
    last = page.has_more ? page.last_id : null;
    if (last === null) break;
  }
  return { data: await getLines(deps, source, found), after: last };

  async function ofGroup(records: readonly RequestRecord[], wanted: UsageGroupId): Promise<RequestRecord[]> {
    const buckets = records.map((record) => ({
      ...record,
      key: record.key_id,
      provenance: costOfRecord(record, source).costSource,
    }));
    const getGroup = await groupsFor(deps, groupBy, buckets, { client, source }, signal);
    return records.filter((_record, index) => {
      const bucket = buckets[index];
      return bucket !== undefined && getKey(getGroup(bucket)) === getKey(wanted);
    });
  }
}

/** Yields every completed request of a period, oldest first, page by page. Waits when the gateway asks for a pause. */
async function* allLines(
  deps: LineDeps,
  { client, source }: Pick<Payer, 'client' | 'source'>,
  period: UsagePeriod,
  signal: AbortSignal | undefined,
): AsyncGenerator<UsageLine[], void> {
  const query = { limit: pageSize, order: 'asc', ...getSeconds(period) } as const;
  const more = signal ? { signal } : {};
  for (let after: string | null = null; ; ) {
    const from: { after?: string } = after === null ? {} : { after };
    const page = await patiently(() => client.requests({ ...query, ...from }, more), signal);
    yield await getLines(
      deps,
      source,
      page.data.filter(({ status }) => status !== 'running'),
    );
    if (!page.has_more) return;
    after = page.last_id;
  }
}

/** A gateway may ask for this many pauses in a row, each at most this long. */
const [maxWaits, maxWaitMs] = [10, 120_000];

async function patiently<T>(call: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  for (let waits = 0; ; waits += 1) {
    try {
      return await call();
    } catch (error) {
      const waitMs = error instanceof GatewayError ? error.retryAfterMs : null;
      if (waitMs === null || waitMs > maxWaitMs || waits === maxWaits)
        return await askGateway(() => Promise.reject(error));
      await pause(waitMs, signal);
      signal?.throwIfAborted();
    }
  }
}

/** A mean of fewer days is unreliable; more than four weeks back predicts little about the rest of the month. */
const [minDays, maxDays] = [7, 28];

async function readInsights(
  { client, source }: Pick<Payer, 'client' | 'source'>,
  period: UsagePeriod,
  now: number,
  signal: AbortSignal,
): Promise<UsageInsights> {
  const [forecast, usage] = await Promise.all([
    readForecast({ client, source }, period.zone, now, signal),
    // One request serves both results, because the gateway scans all requests of the period for each.
    ifGrouped(client, { group_by: 'error', savings: true, ...getSeconds(period) }, signal),
  ]);
  return { forecast, failures: failuresIn(usage, source), cache_savings_usd: usage?.totals.cache_savings_usd ?? null };
}

function failuresIn(usage: ReportedUsage | null, source: string): UsageInsights['failures'] {
  if (!usage) return null;
  const failures = usage.data.flatMap((bucket) => {
    const { requests, cost, unknown } = getSums(bucket, source);
    if (!bucket.error_code || requests === null || cost === null) return [];
    return [{ code: bucket.error_code, requests, cost_usd: formatUsd(nanoUsd(cost)), unknown: unknown ?? 0 }];
  });
  return failures.sort((a, b) => b.requests - a.requests);
}

async function readForecast(
  { client, source }: Pick<Payer, 'client' | 'source'>,
  zone: string,
  now: number,
  signal: AbortSignal,
): Promise<UsageInsights['forecast']> {
  const today = dayIn(zone, now);
  const monthStart = `${today.slice(0, 7)}-01`;
  const meanStart = addDays(today, -maxDays);
  const first = meanStart < monthStart ? meanStart : monthStart;
  const buckets = await bucketsByDay(client, 'day', { first, last: today, zone }, signal);
  if (buckets === null) return null;
  const costs = new Map<string, bigint>();
  for (const bucket of buckets) {
    const { cost } = getSums(bucket, source);
    if (bucket.day === null || cost === null) return null;
    costs.set(bucket.day, cost);
  }
  return calculateForecast(costs, today);
}

/**
 * Forecasts the month's cost: the sum so far, plus the mean of the full days before today for every remaining day. The
 * mean starts with the first day of use, at most four weeks ago. `costs` is nano-USD by day; days without use are
 * missing.
 */
export function calculateForecast(
  costs: ReadonlyMap<string, bigint>,
  today: string,
): NonNullable<UsageInsights['forecast']> {
  const month = today.slice(0, 7);
  const sum = (days: readonly string[]) => days.reduce((total, day) => total + (costs.get(day) ?? 0n), 0n);
  const soFar = sum(daysBetween(`${month}-01`, today));
  const before = daysBetween(addDays(today, -maxDays), addDays(today, -1));
  const used = before.slice(before.findIndex((day) => costs.has(day)));
  const meanDays = before.some((day) => costs.has(day)) ? used.length : 0;
  const daysLeft = daysBetween(addDays(today, 1), lastOfMonth(month)).length;
  const usd = (nano: bigint) => formatUsd(nanoUsd(nano));
  if (meanDays < minDays) return { month, so_far_usd: usd(soFar), estimate: null };
  const past = sum(used);
  return {
    month,
    so_far_usd: usd(soFar),
    estimate: {
      total_usd: usd(soFar + (past * BigInt(daysLeft)) / BigInt(meanDays)),
      mean_usd: usd(past / BigInt(meanDays)),
      mean_days: meanDays,
      days_left: daysLeft,
    },
  };
}

function lastOfMonth(month: string): string {
  const [year = 0, number = 0] = month.split('-').map(Number);
  return new Date(Date.UTC(year, number, 0)).toISOString().slice(0, 10);
}

/** The columns of an exported request, in order. Names match the gateway's records where those have the field. */
const columns = [
  'request_id',
  'time',
  'provider',
  'provider_name',
  'model',
  'status',
  'error_code',
  'purpose',
  'key_id',
  'prompt_tokens',
  'cached_tokens',
  'cache_write_tokens',
  'completion_tokens',
  'reasoning_tokens',
  'cost_usd',
  'provenance',
  'conversation_id',
  'conversation',
  'message_id',
] as const;

type ProviderName = Naming['providerName'];
type Row = Readonly<Record<(typeof columns)[number], string | number | null>>;

const toRow = (line: UsageLine, providerName: ProviderName): Row => ({
  request_id: line.id,
  time: new Date(line.created * 1000).toISOString(),
  provider: line.provider,
  provider_name: line.provider && providerName(line.provider),
  model: line.model,
  status: line.status,
  error_code: line.error_code,
  purpose: line.purpose,
  key_id: line.key,
  prompt_tokens: line.prompt_tokens,
  cached_tokens: line.cached_tokens,
  cache_write_tokens: line.cache_write_tokens,
  completion_tokens: line.completion_tokens,
  reasoning_tokens: line.reasoning_tokens,
  cost_usd: line.cost_usd,
  provenance: line.provenance,
  conversation_id: line.use?.conversationId ?? null,
  conversation: line.use?.title ?? null,
  message_id: line.use?.messageId ?? null,
});

/**
 * Formats lines as the text of a file, one piece per page. CSV has one row per request; JSON is an object with the
 * period and `requests`. Amounts are decimal strings in both.
 */
function usagePieces(
  pages: AsyncIterable<readonly UsageLine[]>,
  period: UsagePeriod,
  format: 'csv' | 'json',
  providerName: ProviderName,
) {
  const head = JSON.stringify({ format: 'portico-usage', version: 1, period });
  return tablePieces(pages, {
    columns,
    toRow: (line) => toRow(line, providerName),
    format,
    around: [`${head.slice(0, -1)},"requests":[`, '\n]}\n'],
  });
}

const limitMs = 30_000;

interface UsageDeps extends CoreContext, Omit<LineDeps, 'connections'>, Naming {
  readonly connections: Connections;
}

interface Asked {
  readonly billingAccount: BillingAccount;
  readonly period: UsagePeriod;
}

/** Reports usage over whole days. The gateway does the sums; the app adds the names of chats and folders. */
export function usageFeature(deps: UsageDeps) {
  const getPayer = (billingAccount: BillingAccount) => deps.connections.billingAccount(billingAccount);
  /** Aborts when the caller gives up, and after a time limit in any case. */
  const ends = (signal: AbortSignal | undefined) =>
    AbortSignal.any([AbortSignal.timeout(limitMs), ...(signal ? [signal] : [])]);

  return {
    async get(
      { billingAccount, period, groupBy }: Asked & { readonly groupBy: UsageGrouping },
      signal?: AbortSignal,
    ): Promise<UsageReport> {
      return readUsageReport(deps, await getPayer(billingAccount), groupBy, period, ends(signal));
    },

    async insights({ billingAccount, period }: Asked, signal?: AbortSignal): Promise<UsageInsights> {
      return readInsights(await getPayer(billingAccount), period, deps.now(), ends(signal));
    },

    async requests(
      {
        billingAccount,
        ...asked
      }: Asked & { groupBy: UsageGrouping; group: UsageGroupId | null; after?: string | null | undefined },
      signal?: AbortSignal,
    ) {
      return readLines(deps, await getPayer(billingAccount), asked, ends(signal));
    },

    async *export(
      { billingAccount, period, format }: Asked & { readonly format: 'csv' | 'json' },
      signal?: AbortSignal,
    ) {
      yield* usagePieces(
        allLines(deps, await getPayer(billingAccount), period, signal),
        period,
        format,
        deps.providerName,
      );
    },
  };
}
