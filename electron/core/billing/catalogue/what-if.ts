import { type Candidate, repricing } from '#gateway/ledger/records/reprice.ts';
import { getNeeds, type RepricedUsage } from '#gateway/ledger/records/reprice-usage.ts';
import { parsePricing } from '#shared/bill-lines.ts';
import type { WhatIfResult } from '#shared/contract/app/catalogue.ts';
import type { BillingAccount } from '#shared/contract/common/fields.ts';
import { refusal } from '#shared/language/refusals.ts';
import { formatUsd, nanoUsd, parseUsd } from '#shared/money.ts';
import type { Model } from '#shared/wire/model.ts';
import { type Connections, isOwnKeys, type Payer } from '../../gateways/connection/connections.ts';
import { askGateway } from '../../gateways/connection/gateway-errors.ts';
import type { Background } from '../../worker/background.ts';
import { costOfRecord } from '../costs/cost.ts';

export interface WhatIfDeps {
  readonly connections: Connections;
  readonly catalogue: () => Promise<readonly Model[]>;
  readonly background: Pick<Background, 'run'>;
  /** The path of the embedded gateway's database. */
  readonly gatewayDatabase: string;
}

interface Asked {
  readonly billingAccount: BillingAccount;
  readonly start: number;
  readonly end: number;
  readonly models: readonly string[];
}

const limitMs = 30_000;
const pageSize = 100;
/** Records of a remote gateway come over the network, so only the newest are read. */
const maxRead = 5_000;

/**
 * Prices a period of an account's requests on other models. The embedded gateway's ledger is read on a worker thread; a
 * remote gateway's records are read over its API. Only this app's own requests record needs beyond tokens, such as
 * images.
 */
export function whatIf({ connections, catalogue, background, gatewayDatabase }: WhatIfDeps) {
  return async ({ billingAccount, start, end, models }: Asked, signal?: AbortSignal): Promise<WhatIfResult> => {
    const { client, source } = await connections.billingAccount(billingAccount);
    const known = await catalogue();
    const chosen = models.map((id) => known.find((model) => model.id === id) ?? gone(id));
    const candidates = chosen.map(toCandidate);
    const period = { startMs: start, endMs: end };
    if (connections.mode === 'remote') {
      return toResult(await repriceRecords({ client, source }, period, candidates, signal), chosen);
    }
    // The gateway flushes its write-ahead log into the file before it answers.
    const { id: accountId } = await askGateway(() => client.account({ signal: AbortSignal.timeout(limitMs) }));
    const input = {
      path: gatewayDatabase,
      accountId: accountId ?? '',
      ...period,
      candidates,
      paysProviders: isOwnKeys(source),
    };
    return toResult({ ...(await background.run('whatIf', input, signal)), readSince: null }, chosen);
  };
}

const gone = (model: string): never => {
  throw refusal('not_found', 'modelGone', { model });
};

function toCandidate(model: Model): Candidate {
  if (!model.pricing) throw refusal('invalid_input', 'modelUnpriced', { name: model.name });
  return {
    model: model.id,
    price: parsePricing(model.pricing),
    contextLength: model.context_length,
    maxOutputTokens: model.max_output_tokens,
    abilities: new Set([
      ...model.capabilities,
      ...(model.architecture.input_modalities.includes('image') ? ['vision'] : []),
    ]),
  };
}

type Read = RepricedUsage & { readonly readSince: number | null };

/** Reads the records over the network, newest first. */
async function repriceRecords(
  { client, source }: Pick<Payer, 'client' | 'source'>,
  { startMs, endMs }: { startMs: number; endMs: number },
  candidates: readonly Candidate[],
  signal: AbortSignal | undefined,
): Promise<Read> {
  const tallies = repricing(candidates);
  const sums = { requests: 0, charged: 0n, ownKeys: 0n, estimated: 0, unknown: 0 };
  const query = { start: Math.floor(startMs / 1000), end: Math.ceil(endMs / 1000), limit: pageSize };
  const until = AbortSignal.any([AbortSignal.timeout(limitMs), ...(signal ? [signal] : [])]);
  let after: string | null = null;
  let read = 0;
  for (;;) {
    const page = await askGateway(() => client.requests({ ...query, ...(after && { after }) }, { signal: until }));
    read += page.data.length;
    for (const record of page.data) {
      if (record.status === 'running' || record.total_tokens === 0) continue;
      if (costOfRecord(record, source).costSource === 'unknown') {
        sums.unknown += 1;
        continue;
      }
      const charged = parseUsd(record.cost_usd);
      const ownKey = record.byok ? parseUsd(record.upstream_cost_usd ?? '0') : 0n;
      sums.requests += 1;
      sums.charged += charged;
      sums.ownKeys += ownKey;
      sums.estimated += Number(record.estimated);
      const counts = {
        audioTokens: record.audio_tokens ?? 0,
        searches: record.web_searches ?? 0,
        imageTokens: record.image_tokens ?? 0,
      };
      tallies.add({
        promptTokens: record.prompt_tokens,
        completionTokens: record.completion_tokens,
        cachedTokens: record.cached_tokens,
        cacheWriteTokens: record.cache_write_tokens,
        reasoningTokens: record.reasoning_tokens,
        cacheWriteHourTokens: record.cache_write_1h_tokens ?? 0,
        ...counts,
        costNano: charged + ownKey,
        needs: getNeeds(undefined, counts.audioTokens, counts.searches, counts.imageTokens),
      });
    }
    after = page.last_id;
    const oldest = page.data.at(-1);
    const more = page.has_more && after !== null;
    if (more && read < maxRead) continue;
    const { requests, estimated, unknown } = sums;
    return {
      requests,
      estimated,
      unknown,
      charged: nanoUsd(sums.charged),
      ownKeys: nanoUsd(sums.ownKeys),
      models: tallies.result(),
      readSince: more && oldest ? oldest.created * 1000 : null,
    };
  }
}

function toResult(
  { requests, charged, ownKeys, estimated, unknown, readSince, models }: Read,
  chosen: readonly Model[],
): WhatIfResult {
  return {
    requests,
    estimated,
    unknown,
    readSince,
    chargedUsd: formatUsd(charged),
    ownKeysUsd: formatUsd(ownKeys),
    models: models.map(({ cost, actual, tooLong, unable, ...counted }, index) => ({
      model: counted.model,
      requests: counted.requests,
      name: chosen[index]?.name ?? counted.model,
      pricesAsOf: chosen[index]?.pricing?.as_of ?? null,
      contextKnown: chosen[index]?.context_length != null,
      costUsd: formatUsd(cost),
      actualUsd: formatUsd(actual),
      moreUsd: formatUsd(nanoUsd(cost - actual)),
      tooLong: { requests: tooLong.requests, costUsd: formatUsd(tooLong.cost) },
      unable: { requests: unable.requests, costUsd: formatUsd(unable.cost), lacks: [...unable.lacks] },
    })),
  };
}
