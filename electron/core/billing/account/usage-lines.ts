import type { RequestsQuery } from '#shared/client/gateway-client.ts';
import { GatewayError } from '#shared/client/gateway-error.ts';
import type { UsageGroupId, UsageGrouping, UsageLine, UsagePeriod } from '#shared/contract/app/usage.ts';
import type { RequestRecord } from '#shared/wire/request-record.ts';
import type { Payer } from '../../gateways/connection/connections.ts';
import { askGateway } from '../../gateways/connection/gateway-errors.ts';
import { bookedModelName, type DescribeModel } from '../../gateways/connection/model-facts.ts';
import { pause } from '../../runtime/streams/pace.ts';
import { costOfRecord } from '../costs/cost.ts';
import type { SpendStore } from '../costs/spend-store.ts';
import { getSeconds } from './ask-usage.ts';
import { type GroupDeps, getKey, groupsFor } from './usage-groups.ts';

const pageSize = 100;
/** Of a group that the gateway cannot narrow a list by, so many pages are looked through for one of ours. */
const maxPages = 20;

export interface LineDeps extends GroupDeps {
  readonly spend: Pick<SpendStore, 'getUses'>;
}

/** Records of an account (`Payer.source`) as lines of the ledger, with the chat and the message of those that this app asked. */
export async function getLines(
  { modelFacts, spend }: { readonly modelFacts: DescribeModel; readonly spend: Pick<SpendStore, 'getUses'> },
  source: string,
  records: readonly RequestRecord[],
): Promise<UsageLine[]> {
  const uses = await spend.getUses(records.map(({ id }) => id));
  return records.map((record) => ({
    id: record.id,
    created: record.created,
    status: record.status,
    error_code: record.error_code,
    provider: record.provider,
    model: record.model,
    key: record.key_id,
    purpose: record.purpose,
    name: record.model && bookedModelName(modelFacts, record.provider, record.model),
    prompt_tokens: record.prompt_tokens,
    cached_tokens: record.cached_tokens,
    cache_write_tokens: record.cache_write_tokens,
    completion_tokens: record.completion_tokens,
    reasoning_tokens: record.reasoning_tokens,
    ...getCost(record, source),
    use: uses.get(record.id) ?? null,
  }));
}

function getCost(record: RequestRecord, source: string): Pick<UsageLine, 'cost_usd' | 'provenance'> {
  const { costUsd, costSource } = costOfRecord(record, source);
  return { cost_usd: costUsd, provenance: costSource };
}

/** What a list of requests can be narrowed by at the gateway; null: only here, one by one. */
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

export interface LinesAsked {
  readonly groupBy: UsageGrouping;
  readonly group: UsageGroupId | null;
  readonly period: UsagePeriod;
  readonly after?: string | null | undefined;
}

/** A page of the requests behind a bar, newest first. `after`: where the next one begins; null: there is none. */
export async function readLines(
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
    return records.filter((_record, at) => {
      const bucket = buckets[at];
      return bucket !== undefined && getKey(getGroup(bucket)) === getKey(wanted);
    });
  }
}

/** Every ended request of a period, oldest first, a page at a time. A gateway that asks for a pause gets it. */
export async function* allLines(
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

/** So often in a row, and no longer, a gateway is waited for. */
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
