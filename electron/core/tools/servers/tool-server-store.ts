import type { Tool, ToolTransport } from '#shared/contract/app/tools.ts';
import type { ProblemText } from '#shared/errors.ts';
import type { Db, Tables } from '../../storage/database/db.ts';

/** A stored tool server. The values of its variables and headers are in the keychain. */
export interface StoredServer {
  readonly id: string;
  readonly name: string;
  readonly transport: ToolTransport;
  readonly enabled: boolean;
  readonly tools: readonly Tool[];
  /** The fingerprint that the user reviewed. Null before the first review. */
  readonly seenFingerprint: string | null;
  readonly problem: ProblemText | null;
  readonly createdAt: number;
}

export function toolServerStore(db: Db) {
  return {
    async all(): Promise<StoredServer[]> {
      return (await db.selectFrom('tool_servers').selectAll().orderBy('created_at').orderBy('id').execute()).map(
        fromRow,
      );
    },
    async find(id: string): Promise<StoredServer | null> {
      const row = await db.selectFrom('tool_servers').selectAll().where('id', '=', id).executeTakeFirst();
      return row ? fromRow(row) : null;
    },
    async write(server: StoredServer): Promise<void> {
      const { id, ...columns } = toRow(server);
      await db
        .insertInto('tool_servers')
        .values({ id, ...columns })
        .onConflict((conflict) => conflict.column('id').doUpdateSet(columns))
        .execute();
    },
    async remove(id: string): Promise<void> {
      await db.deleteFrom('tool_servers').where('id', '=', id).execute();
    },
  };
}

type Row = Tables['tool_servers'];

const fromRow = (row: Row): StoredServer => ({
  id: row.id,
  name: row.name,
  transport: JSON.parse(row.transport) as ToolTransport,
  enabled: row.enabled === 1,
  tools: JSON.parse(row.tools) as Tool[],
  seenFingerprint: row.seen_fingerprint,
  problem: row.problem === null ? null : (JSON.parse(row.problem) as ProblemText),
  createdAt: row.created_at,
});

const toRow = (server: StoredServer): Row => ({
  id: server.id,
  name: server.name,
  transport: JSON.stringify(server.transport),
  enabled: server.enabled ? 1 : 0,
  tools: JSON.stringify(server.tools),
  seen_fingerprint: server.seenFingerprint,
  problem: server.problem && JSON.stringify(server.problem),
  created_at: server.createdAt,
});
