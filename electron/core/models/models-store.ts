import { z } from 'zod';
import { type Model, model } from '#shared/wire/model.ts';
import type { Db } from '../db/db.ts';

const list = z.array(model);

export interface KnownModels {
  readonly models: Model[];
  readonly fetchedAt: number;
}

/** The last list that each gateway gave. */
export function modelsStore(db: Db) {
  return {
    /** Null where there is none, or one that an older version wrote in another shape. */
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

export type ModelsStore = ReturnType<typeof modelsStore>;
