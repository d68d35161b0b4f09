import { sql } from 'kysely';
import type { Db } from '../../storage/database/db.ts';

/** An address with `/v1` is the same gateway as the one without. */
const toRoot = (baseUrl: string): string => baseUrl.replace(/\/+$/, '').replace(/\/v1$/, '');

/**
 * Builds the name of a remote billing account in stored data (`Payer.source`). Uses the account’s own id, so that two keys of one account share a source, while two accounts at one address don't. A
 * gateway that reports no account id leaves only the connection’s id.
 */
export const createSource = (baseUrl: string, accountId: string | null, connectionId: string): string =>
  accountId === null ? `${baseUrl}/${connectionId}` : `${toRoot(baseUrl)}#${accountId}`;

/** Renames the source in everything that is stored for an account. */
export async function renameSource(db: Db, from: string, to: string): Promise<void> {
  await db.transaction().execute(async (run) => {
    await run.updateTable('messages').set({ source: to }).where('source', '=', from).execute();
    await run.updateTable('spend').set({ source: to }).where('source', '=', from).execute();
    // A budget that is already stored under the new name is kept.
    await sql`update or ignore settings set name = ${`budget.${to}`} where name = ${`budget.${from}`}`.execute(run);
  });
}
