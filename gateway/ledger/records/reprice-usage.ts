import Sqlite, { type Database } from 'better-sqlite3';
import { type NanoUsd, nanoUsd } from '#shared/money.ts';
import { type Candidate, type Repriced, repricing } from './reprice.ts';

export interface RepriceInput {
  /** The SQLite file. */
  readonly path: string;
  readonly accountId: string;
  /** Milliseconds since the epoch; `endMs` is exclusive. */
  readonly startMs: number;
  readonly endMs: number;
  readonly candidates: readonly Candidate[];
  /** Whether the account pays the providers directly. Nobody then knows the cost of a request that ended early. */
  readonly paysProviders: boolean;
  /** Abilities that requests needed beyond those that the ledger records, by request id. */
  readonly needs: ReadonlyMap<string, readonly string[]>;
}

/** Past requests with their actual cost and what other models would have cost. */
export interface RepricedUsage {
  readonly requests: number;
  /** The sum that the account was charged. */
  readonly charged: NanoUsd;
  /** The sum of the provider costs on the caller's own keys. */
  readonly ownKeys: NanoUsd;
  /** How many of the requests have an estimated cost. */
  readonly estimated: number;
  /** Requests whose cost nobody knows. They are left out of every sum and comparison. */
  readonly unknown: number;
  readonly models: readonly Repriced[];
}

/**
 * Reads all ended requests of an account and period that used tokens, and prices them on other models. It takes long for many
 * requests, so run it on its own thread.
 *
 * Events that haven't been flushed (decision 039) are missing here: make the gateway flush first by reading something through it.
 * A request of more than nine million dollars would be read wrongly.
 */
export function repriceUsage(input: RepriceInput): RepricedUsage {
  const { path, candidates, needs } = input;
  const db = new Sqlite(path, { readonly: true, fileMustExist: true, timeout: 5000 });
  try {
    const tallies = repricing(candidates);
    const sums = { requests: 0, charged: 0n, ownKeys: 0n, estimated: 0, unknown: 0 };
    for (const [id, ...counts] of rows(db, input)) {
      const [prompt, completion, cached, written, reasoning, audio, hour, searches, images, charge, own, estimated] =
        counts;
      if (counts[12] === 1) {
        sums.unknown += 1;
        continue;
      }
      const charged = BigInt(charge ?? 0);
      const ownKey = BigInt(own ?? 0);
      sums.requests += 1;
      sums.charged += charged;
      sums.ownKeys += ownKey;
      sums.estimated += estimated ?? 0;
      tallies.add({
        promptTokens: prompt ?? 0,
        completionTokens: completion ?? 0,
        cachedTokens: cached ?? 0,
        cacheWriteTokens: written ?? 0,
        reasoningTokens: reasoning ?? 0,
        audioTokens: audio ?? 0,
        cacheWriteHourTokens: hour ?? 0,
        searches: searches ?? 0,
        imageTokens: images ?? 0,
        costNano: charged + ownKey,
        needs: getNeeds(needs.get(id), audio ?? 0, searches ?? 0, images ?? 0),
      });
    }
    const { requests, estimated, unknown } = sums;
    return {
      requests,
      estimated,
      unknown,
      charged: nanoUsd(sums.charged),
      ownKeys: nanoUsd(sums.ownKeys),
      models: tallies.result(),
    };
  } finally {
    db.close();
  }
}

type Row = [id: string, ...counts: number[]];

/** The condition for an unknown cost is the same as in `usage-store.ts`, for requests that used tokens. */
const rows = (db: Database, { accountId, startMs, endMs, paysProviders }: RepriceInput) =>
  db
    .prepare(
      `select id, prompt_tokens, completion_tokens, cached_tokens, cache_write_tokens, reasoning_tokens, audio_tokens,
        cache_write_1h_tokens, web_searches, image_tokens, charge, case byok when 1 then upstream_cost else 0 end, estimated,
        (price is null and status <> 'failed' and charge = 0 and upstream_cost = 0)
          or ((byok = 1 or ?) and ((status = 'failed' and charge = 0)
            or (status = 'cancelled' and case byok when 1 then upstream_cost else charge end = 0)))
      from requests
      where account_id = ? and created >= ? and created < ? and status <> 'running'
        and prompt_tokens + completion_tokens > 0`,
    )
    .raw()
    .iterate(Number(paysProviders), accountId, startMs, endMs) as IterableIterator<Row>;

const nothing: readonly string[] = [];

/** Adds the abilities that the ledger itself records for a request. */
export function getNeeds(
  known: readonly string[] = nothing,
  audio: number,
  searches: number,
  images: number,
): readonly string[] {
  if (audio === 0 && searches === 0 && images === 0) return known;
  return [
    ...known,
    ...(audio > 0 ? ['audio'] : []),
    ...(searches > 0 ? ['web_search'] : []),
    ...(images > 0 ? ['image_output'] : []),
  ];
}
