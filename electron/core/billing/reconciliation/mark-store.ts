import type { Db } from '../../storage/database/db.ts';

/** Stores which requests a person has marked as explained, by request id. */
export function markStore(db: Db) {
  return {
    async add(requestId: string, at: number): Promise<void> {
      const row = { request_id: requestId, mark: 'explained' as const, at };
      await db
        .insertInto('request_marks')
        .values(row)
        .onConflict((conflict) => conflict.doNothing())
        .execute();
    },
    async remove(requestId: string): Promise<void> {
      await db.deleteFrom('request_marks').where('request_id', '=', requestId).execute();
    },
  };
}
