import type { ProblemText } from '#shared/errors.ts';
import type { Db } from '../../storage/database/db.ts';
import { type ProviderSettings, providerSettings } from './provider-settings.ts';

export type CheckState = 'unchecked' | 'works' | 'refused' | 'unreachable';

/** A stored provider, without its key. */
export interface StoredProvider {
  readonly id: string;
  readonly baseUrl: string;
  readonly keyHint: string | null;
  readonly hasKey: boolean;
  readonly state: CheckState;
  readonly problem: ProblemText | null;
  readonly checkedAt: number | null;
  readonly settings: ProviderSettings;
}

export function providerStore(db: Db) {
  return {
    async all(): Promise<StoredProvider[]> {
      const rows = await db.selectFrom('providers').selectAll().execute();
      return rows.map((row) => ({
        id: row.id,
        baseUrl: row.base_url,
        keyHint: row.key_hint,
        hasKey: row.has_key === 1,
        state: row.state as CheckState,
        problem: row.problem === null ? null : (JSON.parse(row.problem) as ProblemText),
        checkedAt: row.checked_at,
        settings: providerSettings.parse(JSON.parse(row.settings)),
      }));
    },
    async write({ id, baseUrl, keyHint, hasKey, state, problem, checkedAt, settings }: StoredProvider): Promise<void> {
      const columns = {
        base_url: baseUrl,
        key_hint: keyHint,
        has_key: hasKey ? 1 : 0,
        state,
        problem: problem && JSON.stringify(problem),
        checked_at: checkedAt,
        settings: JSON.stringify(settings),
      };
      await db
        .insertInto('providers')
        .values({ id, ...columns })
        .onConflict((conflict) => conflict.column('id').doUpdateSet(columns))
        .execute();
    },
    async forget(id: string): Promise<void> {
      await db.deleteFrom('providers').where('id', '=', id).execute();
    },
  };
}

export type ProviderStore = ReturnType<typeof providerStore>;
