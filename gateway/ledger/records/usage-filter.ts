import { type RawBuilder, sql } from 'kysely';
import type { RequestStatus } from '#shared/wire/request-record.ts';
import type { Period } from '../period.ts';

/** Selects the requests of an account that are added up. */
export interface UsageFilter extends Period {
  readonly accountId: string;
  readonly provider?: string | undefined;
  /** The model's own name or `provider/model`. */
  readonly model?: string | undefined;
  readonly key?: string | undefined;
  readonly status?: RequestStatus | undefined;
  readonly byok?: boolean | undefined;
}

/** Returns the filter as a condition on columns that requests and daily counters share. */
export function isNamed({ provider, model, key, status, byok }: UsageFilter): RawBuilder<boolean> {
  const conditions = [
    ...(provider === undefined ? [] : [sql`provider = ${provider}`]),
    ...(model === undefined ? [] : [sql`(model = ${model} or provider || '/' || model = ${model})`]),
    ...(key === undefined ? [] : [sql`key_id = ${key}`]),
    ...(status === undefined ? [] : [sql`status = ${status}`]),
    ...(byok === undefined ? [] : [sql`byok = ${byok ? 1n : 0n}`]),
  ];
  return sql<boolean>`(${conditions.length === 0 ? sql`1 = 1` : sql.join(conditions, sql` and `)})`;
}
