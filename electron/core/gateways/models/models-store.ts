import { z } from 'zod';
import { type Model, model } from '#shared/wire/model.ts';
import type { Db } from '../../storage/database/db.ts';

const list = z.array(model);

export interface KnownModels {
  readonly models: Model[];
  readonly fetchedAt: number;
}

/** Cached model lists by gateway. */
export function modelsStore(db: Db) {
  return {
    /** Null if there is no list, or only one in an older format. */
    async read(source: string): Promise<KnownModels | null> {
      const row = await db.selectFrom('model_lists').selectAll().where('source', '=', source).executeTakeFirst();
      const parsed = row ? list.safeParse(JSON.parse(row.models)) : null;
      return row && parsed?.success ? { models: parsed.data, fetchedAt: row.fetched_at } : null;
    },
    async write(source: string, { models, fetchedAt }: KnownModels): Promise<void> {
      const values = { models: JSON.stringify(models), fetched_at: fetchedAt };
      await db
        .insertInto('model_lists')
        .values({ source, ...values })
        .onConflict((conflict) => conflict.column('source').doUpdateSet(values))
        .execute();
    },
  };
}
