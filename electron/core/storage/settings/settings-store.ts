import type { Db } from '../database/db.ts';

/** JSON values by name: settings, and internal state of the core. */
export function settingsStore(db: Db) {
  return {
    async read(name: string): Promise<unknown> {
      const row = await db.selectFrom('settings').select('value').where('name', '=', name).executeTakeFirst();
      return row ? JSON.parse(row.value) : undefined;
    },
    async readText(name: string): Promise<string | null> {
      const value = await this.read(name);
      return typeof value === 'string' ? value : null;
    },
    async write(name: string, value: unknown): Promise<void> {
      const text = JSON.stringify(value);
      await db
        .insertInto('settings')
        .values({ name, value: text })
        .onConflict((conflict) => conflict.column('name').doUpdateSet({ value: text }))
        .execute();
    },
    /** Writes the value unless one is stored already. Returns the stored value. */
    async writeOnce(name: string, value: string): Promise<string> {
      await db
        .insertInto('settings')
        .values({ name, value: JSON.stringify(value) })
        .onConflict((conflict) => conflict.column('name').doNothing())
        .execute();
      return (await this.readText(name)) ?? value;
    },
    async forget(name: string): Promise<void> {
      await db.deleteFrom('settings').where('name', '=', name).execute();
    },
  };
}

export type SettingsStore = ReturnType<typeof settingsStore>;
