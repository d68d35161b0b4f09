import { sql } from 'kysely';
import type { Db } from '../../storage/database/db.ts';

/** How a billing account at a gateway elsewhere is named in stored data: `Payer.source`. */

/** `/v1` is the same gateway as its root. */
const toRoot = (baseUrl: string): string => baseUrl.replace(/\/+$/, '').replace(/\/v1$/, '');

/**
 * By the account’s own id, so that two keys of one account are one account, and two accounts at one address are two. A gateway
 * that reports no id leaves only the connection’s.
 */
export const createSource = (baseUrl: string, accountId: string | null, connectionId: string): string =>
  accountId === null ? `${baseUrl}/${connectionId}` : `${toRoot(baseUrl)}#${accountId}`;

/** Names all that is stored of an account by its new source. */
export async function renameSource(db: Db, from: string, to: string): Promise<void> {
  await db.transaction().execute(async (run) => {
    await run.updateTable('messages').set({ source: to }).where('source', '=', from).execute();
    await run.updateTable('spend').set({ source: to }).where('source', '=', from).execute();
    // A budget that the account already has by its new name stays.
    await sql`update or ignore settings set name = ${`budget.${to}`} where name = ${`budget.${from}`}`.execute(run);
  });
}
